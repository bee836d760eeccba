// bcryptprimitives.dll for Wine versions that have none: Rust's standard library takes its random numbers from there.
// For tests under Wine only; Windows has the real one.
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG bytes); // RtlGenRandom

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T bytes)
{
    while (bytes > 0) {
        ULONG part = bytes > 0x10000 ? 0x10000 : (ULONG)bytes;
        if (!SystemFunction036(buffer, part))
            return FALSE;
        buffer += part;
        bytes -= part;
    }
    return TRUE;
}
