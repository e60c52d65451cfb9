/* A search tree is filled and walked: tiny recursive functions. */
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 200000, WALKS = 60 };

struct node {
    unsigned key;
    struct node *less, *more;
};

static void add(struct node **at, struct node *node)
{
    if (*at == NULL)
        *at = node;
    else
        add(node->key < (*at)->key ? &(*at)->less : &(*at)->more, node);
}

static unsigned sum(const struct node *node)
{
    return node == NULL ? 0 : node->key * 3 + sum(node->less) + 5 * sum(node->more);
}

int main(void)
{
    struct node *nodes = calloc(NODES, sizeof *nodes), *root = NULL;
    unsigned random = 1, total = 0;
    for (int i = 0; i < NODES; i++) {
        random = random * 1664525u + 1013904223u;
        nodes[i].key = random >> 4;
        add(&root, &nodes[i]);
    }
    for (int walk = 0; walk < WALKS; walk++)
        total = total * 31 + sum(root);
    printf("%u\n", total);
    return 0;
}
