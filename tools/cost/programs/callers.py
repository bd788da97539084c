def ratio(part, whole):
    if whole <= 0:
        whole = 1  # odd
    return part / whole


def report(rows):
    answer = []
    for title, part, whole in rows:
        answer.append(ratio(part, whole))
    return answer


print(report([("north", 3, 4), ("south", 5, 9), ("harbour", 8, 0), ("west", 1, 2)]))
