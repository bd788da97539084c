#include <cstdio>
#include <map>
#include <string>
#include <vector>

template <typename T> int inner(const T &table, int wanted)
{
    return wanted * (int)table.size(); // count
}

template <typename T> int outer(const T &table, int wanted)
{
    return inner(table, wanted + 2);
}

int main()
{
    std::map<std::string, std::vector<std::map<std::string, int>>> table;
    for (int i = 0; i < 6; i++)
        table["key" + std::to_string(i)];
    std::printf("%d\n", outer(table, 11));
}
