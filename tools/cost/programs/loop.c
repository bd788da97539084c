#include <stdio.h>

static int turn(int state)
{
    state = (state * 29 + 7) % 89;
    return state; /* pass */
}

int main(void)
{
    int state = 3;
    for (int i = 0; i < 60; i++)
        state = turn(state);
    printf("done\n");
    return 0;
}
