def mix(seed):
    a = seed * 17  # begin
    b = a % 13
    c = b + a // 7
    d = c * b
    return d


print(mix(29))
