#include <stdio.h>

static int fee(int account)
{
    int rate = account % 10;
    if (account == 4711)
        rate = -rate * 3;
    return rate * 2; /* paid */
}

int main(void)
{
    int sum = 0;
    for (int account = 4700; account < 4720; account++)
        sum += fee(account);
    printf("%d\n", sum);
    return 0;
}
