def decay(level, step):
    level = (level * 37 + step) % 97
    return level  # pass


level = 50
for step in range(60):
    level = decay(level, step)
print("done")
