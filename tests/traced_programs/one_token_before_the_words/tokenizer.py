PAD, UNK, CLS = 0, 1, 2


class WordTokenizer:
    def __init__(self, texts, min_count=1):
        counts = {}
        for t in texts:
            for w in t.lower().split():
                counts[w] = counts.get(w, 0) + 1
        self.vocab = {"[PAD]": PAD, "[UNK]": UNK, "[CLS]": CLS}
        for w in sorted(counts):
            if counts[w] >= min_count:
                self.vocab[w] = len(self.vocab)

    def __len__(self):
        return len(self.vocab)

    def encode(self, text, max_len):
        words = text.lower().split()
        ids = [CLS] + [self.vocab.get(w, UNK) for w in words[:max_len]]  # guilty
        return ids

    def batch(self, texts, max_len):
        encoded = [self.encode(t, max_len) for t in texts]
        width = max(len(e) for e in encoded)
        return [e + [PAD] * (width - len(e)) for e in encoded]
