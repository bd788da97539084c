#include <cstdio>
#include <stdexcept>
#include <string>

static int withdraw(const std::string &account, int balance, int amount)
{
    if (amount > balance)
        throw std::runtime_error("no cover for " + account + " of " + std::to_string(amount - balance));
    return balance - amount;
}

int main()
{
    int balance = 150;
    for (int day = 1; day < 9; day++)
        balance = withdraw("savings", balance, day * 23);
    std::printf("%d\n", balance);
}
