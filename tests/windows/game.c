// A game that does what a script says: makes named sections and writes into them. The tests record it from Linux, without a bridge.
// Built by the tests, x86_64-w64-mingw32-gcc -O1 -Wall -Wextra -Werror.
//
//   game.exe SCRIPT step    a line on stdin for each step; ends with stdin
//   game.exe SCRIPT MS      a step each MS milliseconds; ends with the script
//
// SCRIPT, little endian:   'S' u32 bytes, u32 name length, name        makes Local\NAME
//                          'W' u32 section, u32 offset, u32 length, bytes
//                          'C'                                          closes the handles: only the views are left
//                          '.'                                          a step
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

enum { MOST = 64 };
static HANDLE sections[MOST];
static char *views[MOST];
static unsigned sizes[MOST], count;

static void fail(const char *what)
{
    printf("%s (error %lu)\n", what, GetLastError());
    exit(1);
}

static unsigned number(FILE *script)
{
    unsigned value = 0;
    if (fread(&value, 4, 1, script) != 1)
        fail("the script is cut short");
    return value;
}

static void make_section(FILE *script)
{
    char name[300] = "Local\\";
    unsigned bytes = number(script), length = number(script);
    if (count == MOST || length > 256 || fread(name + 6, 1, length, script) != length)
        fail("no room for this section");
    sections[count] = CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, bytes, name);
    views[count] = sections[count] ? MapViewOfFile(sections[count], FILE_MAP_WRITE, 0, 0, 0) : NULL;
    if (!views[count])
        fail("cannot make the section");
    sizes[count++] = bytes;
}

static void write_section(FILE *script)
{
    unsigned section = number(script), offset = number(script), length = number(script);
    static char bytes[2 << 20];
    if (section >= count || offset > sizes[section] || length > sizes[section] - offset || length > sizeof bytes)
        fail("a write outside of a section");
    if (fread(bytes, 1, length, script) != length)
        fail("the script is cut short");
    // As a game copies a page: in one go.
    memcpy(views[section] + offset, bytes, length);
    MemoryBarrier();
}

// A line on stdin; no line is the end.
static int next_line(void)
{
    char byte = 0;
    DWORD got = 0;
    while (byte != '\n')
        if (!ReadFile(GetStdHandle(STD_INPUT_HANDLE), &byte, 1, &got, NULL) || got == 0)
            return 0;
    return 1;
}

int main(int words, char **word)
{
    FILE *script = words == 3 ? fopen(word[1], "rb") : NULL;
    if (!script)
        fail("usage: game SCRIPT step|MS");
    int by_line = strcmp(word[2], "step") == 0, what;
    while ((what = fgetc(script)) != EOF) {
        if (what == 'S')
            make_section(script);
        else if (what == 'W')
            write_section(script);
        else if (what == 'C')
            for (unsigned i = 0; i < count; i++)
                CloseHandle(sections[i]);
        else if (what == '.' && by_line && !next_line())
            return 0;
        else if (what == '.' && !by_line)
            Sleep(atoi(word[2]));
    }
    while (by_line && next_line()) {
    }
    return 0;
}
