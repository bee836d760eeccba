// A program as others write them for Windows, for tests: it sees games as dashboards do, and ends programs as a console does.
//
//   client acpmf PREFIX                     waits for Local\PREFIXacpmf_physics to appear, move and go
//   client iracing PREFIX PORT              the start-up of pyirsdk, step by step, then its way of reading; prints some speeds
//   client ctrl c|break|close FILE PROGRAM  runs a program in a new console and ends it so when FILE is there; gives its exit code
//   client end-session PROCESS              tells a process's window that the user logs off
//   client refused                          0 if the system refuses to generate Ctrl+Break where it generates Ctrl+C
//
// Says on stdout what it saw, a line each; 0 if it saw all of it. Nothing is decided by time: whoever runs it reads what it has seen so far
// and says when the game shall go. The limit only guards against a hang.
#define WIN32_LEAN_AND_MEAN
#include <winsock2.h>
#include <windows.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_MS 180000

static DWORD end_ms;

static int in_time(void) { return (int)(end_ms - GetTickCount()) > 0; }

static int say(const char *text)
{
    puts(text);
    fflush(stdout);
    return 0;
}

static int fail(const char *text)
{
    printf("failed: %s (error %lu)\n", text, GetLastError());
    fflush(stdout);
    return 1;
}

static HANDLE open_section(const char *prefix, const char *name)
{
    char full[256];
    snprintf(full, sizeof full, "Local\\%s%s", prefix, name);
    return OpenFileMappingA(FILE_MAP_READ, FALSE, full);
}

// ---- the Assetto Corsa family ------------------------------------------------------------------------------------

static int acpmf(const char *prefix)
{
    HANDLE section = NULL, graphics = NULL;
    say("waiting");
    while (in_time() && !(section && graphics)) {
        if (!section)
            section = open_section(prefix, "acpmf_physics");
        if (!graphics)
            graphics = open_section(prefix, "acpmf_graphics");
        Sleep(5);
    }
    if (!section || !graphics)
        return fail("the sections did not appear");
    volatile const int32_t *physics = MapViewOfFile(section, FILE_MAP_READ, 0, 0, 800);
    volatile const int32_t *session = MapViewOfFile(graphics, FILE_MAP_READ, 0, 0, 1588);
    if (!physics || !session)
        return fail("the sections cannot be mapped");
    say("appeared");
    while (in_time() && session[1] != 2)
        Sleep(1);
    int32_t last = physics[0];
    int moved = 0, fell = 0;
    float fastest = 0;
    int told = 0;
    // Until the game says that it is off.
    while (in_time() && session[1] == 2) {
        int32_t now = physics[0];
        if (now != last)
            moved++;
        if (now < last)
            fell++;
        last = now;
        float speed = ((volatile const float *)physics)[7];
        if (speed > fastest)
            fastest = speed;
        if (moved > 20 && !told)
            told = 1, say("runs");
        Sleep(1);
    }
    printf("moved %d fell %d fastest %.1f\n", moved, fell, fastest);
    if (!told)
        return fail("the counter did not move");
    if (session[1] != 0)
        return fail("the game did not say that it is off");
    UnmapViewOfFile((const void *)physics);
    UnmapViewOfFile((const void *)session);
    CloseHandle(section);
    CloseHandle(graphics);
    while (in_time()) {
        section = open_section(prefix, "acpmf_physics");
        if (!section)
            return say("gone");
        CloseHandle(section);
        Sleep(5);
    }
    return fail("the section is still there");
}

// ---- iRacing, as pyirsdk does it ---------------------------------------------------------------------------------

#define MAP_BYTES (1164 * 1024)
#define IN_A_ROW 10
#define ENOUGH 10

struct buffer { int32_t tick, offset, pad[2]; };
struct header {
    int32_t ver, status, tick_rate, info_update, info_len, info_offset, num_vars, var_offset, num_buf, buf_len, pad[2];
    struct buffer buffers[4];
};
struct variable { int32_t type, offset, count; uint8_t as_time, pad[3]; char name[32], description[64], unit[32]; };

// 1. GET http://127.0.0.1:32034/get_sim_status?object=simStatus must hold running:1
static int sim_runs(int port)
{
    SOCKET client = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP);
    struct sockaddr_in address = {0};
    address.sin_family = AF_INET;
    address.sin_port = htons((u_short)port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int runs = 0;
    if (connect(client, (struct sockaddr *)&address, sizeof address) == 0) {
        const char *request = "GET /get_sim_status?object=simStatus HTTP/1.1\r\nHost: 127.0.0.1:32034\r\nConnection: close\r\n\r\n";
        char answer[4096];
        int length = 0, count;
        send(client, request, (int)strlen(request), 0);
        while (length < (int)sizeof answer - 1 && (count = recv(client, answer + length, (int)sizeof answer - 1 - length, 0)) > 0)
            length += count;
        answer[length] = 0;
        runs = strstr(answer, "running:1") != NULL;
    }
    closesocket(client);
    return runs;
}

static int by_tick(const void *a, const void *b)
{
    return ((const struct buffer *)b)->tick - ((const struct buffer *)a)->tick;
}

// The second newest row, as `ir[name]` reads it.
static double value(const uint8_t *map, const struct variable *variable)
{
    const struct header *header = (const void *)map;
    struct buffer sorted[4];
    int count = header->num_buf > 4 ? 4 : header->num_buf;
    memcpy(sorted, header->buffers, sizeof sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, by_tick);
    const uint8_t *at = map + sorted[count > 1 ? 1 : 0].offset + variable->offset;
    float single;
    double wide;
    int32_t whole;
    switch (variable->type) {
    case 4: memcpy(&single, at, 4); return single;
    case 5: memcpy(&wide, at, 8); return wide;
    case 2: case 3: memcpy(&whole, at, 4); return whole;
    default: return *at;
    }
}

static int iracing(const char *prefix, int port)
{
    char name[256];
    WSADATA data;
    WSAStartup(MAKEWORD(2, 2), &data);
    say("waiting");
    while (in_time() && !sim_runs(port))
        Sleep(50);
    if (!sim_runs(port))
        return fail("nobody says running:1");
    say("service");
    snprintf(name, sizeof name, "Local\\%sIRSDKDataValidEvent", prefix);
    HANDLE event = NULL;
    while (in_time() && !(event = OpenEventA(SYNCHRONIZE, FALSE, name)))
        Sleep(5);
    if (!event)
        return fail("no event");
    // On a busy machine anybody misses some. But each wait begins when the one before has ended, with a pulse: who pulses less often than
    // every 32 ms is not heard twice in a row, however long one tries. An event that stays signalled is no pulse.
    int row = 0, waits = 0, left = 0;
    for (; in_time() && row < IN_A_ROW; waits++) {
        row = WaitForSingleObject(event, 32) == WAIT_OBJECT_0 ? row + 1 : 0;
        left = row == 0 ? 0 : left + (WaitForSingleObject(event, 0) == WAIT_OBJECT_0);
    }
    printf("event %d times in a row after %d waits, %d times still signalled\n", row, waits, left);
    if (row < IN_A_ROW)
        return fail("the event is not signalled within 32 ms");
    if (left == IN_A_ROW)
        return fail("the event stays signalled");
    HANDLE section = open_section(prefix, "IRSDKMemMapFileName");
    if (!section)
        return fail("no section");
    const uint8_t *map = MapViewOfFile(section, FILE_MAP_READ, 0, 0, MAP_BYTES);
    if (!map)
        return fail("the section has not 1191936 bytes");
    const volatile struct header *header = (const void *)map;
    if (header->ver < 1 || header->num_buf < 1)
        return fail("no header");
    while (in_time() && header->status != 1)
        Sleep(1);
    if (header->status != 1)
        return fail("not connected");
    printf("connected ver %d buffers %d variables %d row %d rate %d text %d\n", header->ver, header->num_buf,
           header->num_vars, header->buf_len, header->tick_rate, header->info_update);
    fflush(stdout);
    const struct variable *time = NULL, *speed = NULL, *variables = (const void *)(map + header->var_offset);
    for (int i = 0; i < header->num_vars; i++) {
        if (!strcmp(variables[i].name, "SessionTime"))
            time = &variables[i];
        if (!strcmp(variables[i].name, "Speed"))
            speed = &variables[i];
    }
    if (!time)
        return fail("no SessionTime");
    if (strncmp((const char *)map + header->info_offset, "---", 3))
        return fail("no session text");
    double last = -1;
    int changes = 0;
    while (in_time() && header->status == 1) {
        WaitForSingleObject(event, 32);
        double now = value(map, time), fast = speed ? value(map, speed) : 0;
        // Both of the same row.
        if (now == last || now != value(map, time))
            continue;
        last = now;
        if (++changes <= ENOUGH && speed)
            printf("%.6f s %.6f m/s\n", now, fast);
        if (changes == ENOUGH)
            say("enough");
    }
    printf("SessionTime changed %d times, last %.4f\n", changes, last);
    if (changes < ENOUGH)
        return fail("nothing moves in the second newest buffer");
    if (header->status == 1)
        return fail("the game does not go");
    return say("gone");
}

// ---- ends --------------------------------------------------------------------------------------------------------

static BOOL WINAPI not_us(DWORD kind)
{
    (void)kind;
    return TRUE;
}

// What the system does when a key is pressed or the window is closed: it lets a thread of the program call its handlers, and this function of the
// system is what the thread runs. It is at the same place in every process. 0 if that could be done; `answer` is 1 if a handler has returned,
// and something else if the program ended while it was waited for.
static int deliver(HANDLE process, DWORD event, DWORD *answer)
{
    void *routine = (void *)(uintptr_t)GetProcAddress(GetModuleHandleA("kernelbase.dll"), "CtrlRoutine");
    if (!routine)
        return fail("there is no CtrlRoutine");
    HANDLE thread = CreateRemoteThread(process, NULL, 0, (LPTHREAD_START_ROUTINE)(uintptr_t)routine,
                                       (void *)(uintptr_t)event, 0, NULL);
    if (!thread)
        return fail("no thread can be started in it");
    WaitForSingleObject(thread, 60000);
    GetExitCodeThread(thread, answer);
    CloseHandle(thread);
    return 0;
}

static int ctrl(const char *kind, const char *when, int count, char **words)
{
    char line[8192] = "";
    for (int i = 0; i < count; i++) {
        strcat(line, "\"");
        strcat(line, words[i]);
        strcat(line, "\" ");
    }
    STARTUPINFOA start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES};
    start.hStdInput = GetStdHandle(STD_INPUT_HANDLE);
    start.hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE);
    start.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    PROCESS_INFORMATION child;
    if (!CreateProcessA(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &child))
        return fail("cannot start the program");
    while (in_time() && GetFileAttributesA(when) == INVALID_FILE_ATTRIBUTES)
        if (WaitForSingleObject(child.hProcess, 20) != WAIT_TIMEOUT)
            return fail("the program ended before");
    // What is generated goes to everybody in the console: to us too.
    SetConsoleCtrlHandler(not_us, TRUE);
    DWORD event = !strcmp(kind, "c") ? CTRL_C_EVENT : !strcmp(kind, "break") ? CTRL_BREAK_EVENT : CTRL_CLOSE_EVENT;
    if (event != CTRL_CLOSE_EVENT && GenerateConsoleCtrlEvent(event, 0)) {
        say("generated");
    } else {
        DWORD answer = 0;
        printf("cannot be generated (error %lu)\n", GetLastError());
        if (deliver(child.hProcess, event, &answer)) {
            TerminateProcess(child.hProcess, 99);
            return 1;
        }
        printf("delivered, %s\n", answer == 1 ? "the handler returned" : "the program ended while its handler was waited for");
    }
    if (WaitForSingleObject(child.hProcess, 60000) != WAIT_OBJECT_0) {
        TerminateProcess(child.hProcess, 99);
        return fail("the program did not end");
    }
    DWORD code = 0;
    GetExitCodeProcess(child.hProcess, &code);
    fflush(stdout);
    return (int)code;
}

static int refused(void)
{
    SetConsoleCtrlHandler(not_us, TRUE);
    int c = GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0);
    printf("Ctrl+C: %s (error %lu)\n", c ? "generated" : "refused", c ? 0 : GetLastError());
    int key = GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, 0);
    printf("Ctrl+Break: %s (error %lu)\n", key ? "generated" : "refused", key ? 0 : GetLastError());
    fflush(stdout);
    return c && !key ? 0 : 1;
}

// The same again in a console of its own: whoever runs this may have none.
static int in_new_console(void)
{
    STARTUPINFOA start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES};
    start.hStdInput = GetStdHandle(STD_INPUT_HANDLE);
    start.hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE);
    start.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    PROCESS_INFORMATION child;
    DWORD code = 1;
    SetEnvironmentVariableA("CLIENT_HAS_CONSOLE", "1");
    if (!CreateProcessA(NULL, GetCommandLineA(), NULL, NULL, TRUE, CREATE_NEW_CONSOLE, NULL, NULL, &start, &child))
        return fail("cannot start a console");
    WaitForSingleObject(child.hProcess, LIMIT_MS);
    GetExitCodeProcess(child.hProcess, &code);
    return (int)code;
}

static DWORD wanted_process;
static LRESULT told;

static BOOL CALLBACK each_window(HWND window, LPARAM unused)
{
    char class[64] = "";
    DWORD process = 0, result = 0;
    DWORD_PTR answer = 0;
    (void)unused;
    (void)result;
    GetClassNameA(window, class, sizeof class);
    GetWindowThreadProcessId(window, &process);
    if (process == wanted_process && !strcmp(class, "gametape-end")) {
        SendMessageTimeoutA(window, WM_QUERYENDSESSION, 0, 0, SMTO_NORMAL, 30000, &answer);
        told = answer == 1 ? 1 : -1;
        SendMessageTimeoutA(window, WM_ENDSESSION, TRUE, 0, SMTO_NORMAL, 100, &answer);
    }
    return TRUE;
}

static int end_session(DWORD process)
{
    wanted_process = process;
    while (in_time() && !told) {
        EnumWindows(each_window, 0);
        Sleep(20);
    }
    return told == 1 ? say("told") : fail("no window of that process");
}

int main(int count, char **words)
{
    end_ms = GetTickCount() + LIMIT_MS;
    const char *what = count > 1 ? words[1] : "";
    if (count >= 3 && !strcmp(what, "acpmf"))
        return acpmf(words[2]);
    if (count >= 4 && !strcmp(what, "iracing"))
        return iracing(words[2], atoi(words[3]));
    int needs_console = (count >= 5 && !strcmp(what, "ctrl")) || !strcmp(what, "refused");
    if (needs_console && !getenv("CLIENT_HAS_CONSOLE"))
        return in_new_console();
    if (count >= 5 && !strcmp(what, "ctrl"))
        return ctrl(words[2], words[3], count - 4, words + 4);
    if (!strcmp(what, "refused"))
        return refused();
    if (count >= 3 && !strcmp(what, "end-session"))
        return end_session((DWORD)atoi(words[2]));
    return fail("what shall I do?");
}
