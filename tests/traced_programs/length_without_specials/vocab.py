from collections import Counter

PAD, UNK = "<pad>", "<unk>"


class Vocab:
    def __init__(self, texts, min_count=1):
        counts = Counter(token for text in texts for token in text.lower().split())
        self.words = [w for w, c in counts.most_common() if c >= min_count]
        self.specials = [PAD, UNK]
        self.stoi = {w: i + len(self.specials) for i, w in enumerate(self.words)}
        self.pad_id, self.unk_id = 0, 1

    def __len__(self):
        return len(self.words)  # guilty

    def encode(self, text):
        return [self.stoi.get(t, self.unk_id) for t in text.lower().split()]
