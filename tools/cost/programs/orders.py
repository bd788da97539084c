def parse(line):
    name, amount = line.split(",")
    return name, int(amount)


def load(lines):
    total = 0
    for number, line in enumerate(lines):
        name, amount = parse(line)
        total += amount
    return total


print(load(["ada,12", "bob,7", "cy,3o", "dee,9"]))
