long loaded(const long *of, int n)
{
    long all = 0;
    for (int i = 0; i < n; i++)
        all += of[i];
    return all;
}
