class Alphabet:
    blank = 0

    def __init__(self, chars):
        self.chars = chars
        self.to_id = {c: i for i, c in enumerate(chars)}  # guilty

    @property
    def size(self):
        return len(self.chars) + 1

    def encode(self, word):
        return [self.to_id[c] for c in word]
