#include <stdio.h>
#include <string.h>

struct item { const char *name; int weight; };

static int measure(struct item *items, int count)
{
    int total = 0;
    for (int position = 0; position < count; position++)
        total += (int)strlen(items[position].name) + items[position].weight / 3;
    return total;
}

static int first(const int *numbers)
{
    int best = *numbers;
    return best;
}

int main(void)
{
    struct item items[] = {{"anvil", 90}, {"rope", 12}};
    int size = measure(items, 2);
    int *missing = size > 40 ? NULL : &size;
    printf("%d\n", first(missing));
    return 0;
}
