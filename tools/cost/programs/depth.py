def walk(node, level):
    if node is None:
        return level  # bottom
    return walk(node[1], level + 1)


def build(count):
    node = None
    for number in range(count):
        node = (number, node)
    return node


print(walk(build(83), 0))
