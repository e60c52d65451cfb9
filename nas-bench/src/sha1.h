/* SHA-1 of a few words: all that a tree of psearch needs. A message this short is one block. */
#ifndef SHA1_H
#define SHA1_H

#include <stdint.h>

static inline uint32_t sha1_turn(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

/* The message is `count` (at most 13) big-endian words; the digest is five. */
static inline void sha1_of_words(const uint32_t *word, int count, uint32_t digest[5])
{
    uint32_t w[80], h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    for (int t = 0; t < 16; t++)
        w[t] = t < count ? word[t] : 0;
    w[count] = 0x80000000;
    w[15] = (uint32_t)count * 32;
    for (int t = 16; t < 80; t++)
        w[t] = sha1_turn(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    for (int t = 0; t < 80; t++) {
        uint32_t f = t < 20   ? ((b & c) | (~b & d)) + 0x5a827999
                     : t < 40 ? (b ^ c ^ d) + 0x6ed9eba1
                     : t < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
                              : (b ^ c ^ d) + 0xca62c1d6;
        uint32_t next = sha1_turn(a, 5) + f + e + w[t];
        e = d;
        d = c;
        c = sha1_turn(b, 30);
        b = a;
        a = next;
    }
    digest[0] = h[0] + a;
    digest[1] = h[1] + b;
    digest[2] = h[2] + c;
    digest[3] = h[3] + d;
    digest[4] = h[4] + e;
}

#endif
