/* gametape: reads and writes recordings of game telemetry ("tapes", files named .gtape).
 *
 *     gametape_tape tape;
 *     if (gametape_open("race.gtape", &tape) != GAMETAPE_OK) { puts(gametape_last_error()); return 1; }
 *     char *laps;
 *     if (gametape_laps(tape, NULL, NULL, &laps, NULL) == GAMETAPE_OK) { puts(laps); gametape_free(laps); }
 *     gametape_close(tape);
 *
 * The same functions exist on Linux, on Windows and in WebAssembly (wasm32-unknown-unknown). What differs is marked: WebAssembly has no files,
 * no callbacks and no writing; a host gives it bytes through the imports described at `gametape_open_imported`.
 *
 * Rules for all functions
 * - Texts that are passed in are UTF-8 and end with a zero byte; paths too, on every system. Texts that are returned are the same.
 * - A function returns a `gametape_status`. Below zero: it failed, and `gametape_last_error` says what was found and what to do. When it
 *   failed, it has written nothing through its pointers, unless its description says so.
 * - A null pointer where a function needs one is GAMETAPE_INVALID, never a crash. "May be null" says where it means "not wanted".
 * - A buffer that is too small is GAMETAPE_SHORT: nothing was put into it, and the function tells the size that is needed.
 * - Handles are numbers. 0 is never one. A handle that was closed, or that is of another kind, is GAMETAPE_HANDLE, never a crash.
 * - Every function can be called on any thread, for the same tape also at the same time. Calls with the same cursor or the same writer wait
 *   for each other.
 * - No panic and no exception leaves a function. A defect of the library is GAMETAPE_INTERNAL; in WebAssembly it is a trap, after which the
 *   instance must not be used again.
 * - Tapes are untrusted: damaged and hostile files give errors or GAMETAPE_DAMAGED. The memory used depends on the sizes of blocks, not on the
 *   length of the tape.
 * - Times are nanoseconds since the start of the tape. Ranges of time contain `from_ns` and not `to_ns`; 0 and UINT64_MAX are the whole tape.
 * - JSON: unknown values are null, never 0. Later versions add members; they do not rename or remove any.
 */
#ifndef GAMETAPE_H
#define GAMETAPE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number of this interface. It is raised when something that existed changes; additions do not raise it. */
#define GAMETAPE_INTERFACE 1

/* For `element`: all elements of the channel. */
#define GAMETAPE_ALL UINT32_MAX

/* What a function returns. */
typedef int32_t gametape_status;

/* Done. */
#define GAMETAPE_OK 0
/* There is nothing more: no next frame, no frame at or before that time. */
#define GAMETAPE_END 1
/* A part of the tape is damaged or missing. What could be read is there, and the next call continues after the damage;
 * `gametape_last_error` says what is damaged. `gametape_describe` lists it under "problems". */
#define GAMETAPE_DAMAGED 2
/* The buffer is too small, see above. */
#define GAMETAPE_SHORT (-1)
/* An argument is null, not UTF-8, not JSON of the described form, or outside its range. */
#define GAMETAPE_INVALID (-2)
/* The handle was closed, or is of another kind. */
#define GAMETAPE_HANDLE (-3)
/* There is no such stream, channel or element; the error names similar ones. */
#define GAMETAPE_NOT_FOUND (-4)
/* The system, or the caller's `read_at`, cannot read or write. */
#define GAMETAPE_IO (-5)
/* The file is not a tape, or not a file that can be imported; or it is of a later version. */
#define GAMETAPE_FORMAT (-6)
/* A file of that name exists. Nothing was overwritten. */
#define GAMETAPE_EXISTS (-7)
/* The writer did not accept the frame, the event or the stream: time went back, too large, no room on the disk. Nothing of it was stored. */
#define GAMETAPE_REJECTED (-8)
/* The caller's `progress` stopped it. */
#define GAMETAPE_STOPPED (-9)
/* The laps of this tape cannot be tracked: its game is unknown to this version. */
#define GAMETAPE_UNKNOWN_GAME (-10)
/* There are no files in WebAssembly. */
#define GAMETAPE_UNSUPPORTED (-11)
/* A defect of the library. Please report it. */
#define GAMETAPE_INTERNAL (-12)

/* ---- General ----------------------------------------------------------------------------------------------------- */

/* Returns the version of the library, such as "0.1.0". */
const char *gametape_version(void);

/* Returns the GAMETAPE_INTERFACE of the library. If it differs from that of this header, do not call anything else. */
uint32_t gametape_interface(void);

/* Returns the error text of the last function that failed or returned GAMETAPE_DAMAGED on this thread; an empty text if none did. It is valid
 * until the next call of a gametape function on this thread: copy it to keep it. Never null.
 * Languages that move code between threads (Go: runtime.LockOSThread) must stay on the thread between the call and this one. */
const char *gametape_last_error(void);

/* Returns memory for `bytes` bytes, aligned to 16; null if there is none or `bytes` is 0. For hosts of WebAssembly, which have no memory of
 * their own there. */
void *gametape_alloc(size_t bytes);

/* Frees what gametape_alloc, or a function with a `char **`, returned. Null is ignored. */
void gametape_free(void *memory);

/* Called during slow functions, at least a few times a second while something is read, on the thread of the caller. `done` grows from 0 to 1.
 * Return 0 to go on; with anything else the function ends soon with GAMETAPE_STOPPED. It may call other gametape functions. WebAssembly: pass
 * null; the import `progress` is called instead. */
typedef int32_t (*gametape_progress)(void *user, double done);

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

typedef uint32_t gametape_tape;

/* Opens a tape file, together with its journals if its recorder was killed or still runs. The tape is what it is at this moment: open it again
 * to see what a running recorder has added. Not in WebAssembly: GAMETAPE_UNSUPPORTED. */
gametape_status gametape_open(const char *path, gametape_tape *tape);

/* Opens a tape in memory. The bytes are copied: they need not live on. `bytes` may be null if `length` is 0; that is no tape. */
gametape_status gametape_open_bytes(const void *bytes, size_t length, gametape_tape *tape);

#ifndef __wasm__
/* Where bytes come from, if not from a file or from memory. The functions are called on the threads that use the tape, several at the same
 * time if it is used by several. `user` is passed to them as it is. */
typedef struct gametape_source {
    void *user;
    /* Reads up to `length` bytes at `offset` and returns how many; 0 at the end, below 0 if it cannot. May return fewer bytes than there are. */
    int64_t (*read_at)(void *user, uint64_t offset, void *buffer, size_t length);
    /* Returns the size in bytes; below 0 if it is unknown. */
    int64_t (*size)(void *user);
    /* Called once, when the tape and all its cursors are closed, and also if it could not be opened. May be null. */
    void (*release)(void *user);
} gametape_source;

/* Opens a tape through functions of the caller. `journals`: the files TAPE-journal-N beside a tape that was not closed; may be null
 * if `journal_count` is 0. The structs are copied. If an argument is invalid (GAMETAPE_INVALID), `release` is not called. */
gametape_status gametape_open_source(const gametape_source *source, const gametape_source *journals, size_t journal_count, gametape_tape *tape);
#else
/* WebAssembly: opens a tape that the host reads. `source` and `journals` are numbers that mean something to the host. The module imports,
 * from "gametape":
 *
 *   read_at(source: i32, offset: i64, buffer: i32, length: i32) -> i32    copies up to `length` bytes at `offset` to the address `buffer` of
 *                                                                         this module's memory and returns how many: 0 at the end, below 0
 *                                                                         if it cannot
 *   size(source: i32) -> i64                                              the size in bytes, below 0 if it is unknown
 *   progress(done: f64) -> i32                                            see gametape_progress
 *
 * In JavaScript an i64 is a BigInt. Reads are small and many (8 KiB, 4 KiB, 32 bytes): keep pages of 256 KiB to 1 MiB. */
gametape_status gametape_open_imported(uint32_t source, const uint32_t *journals, size_t journal_count, gametape_tape *tape);
#endif

/* Closes a tape, a cursor or a writer (which is then abandoned). A cursor keeps its tape alive: the order does not matter. */
gametape_status gametape_close(uint32_t handle);

/* ---- Documents --------------------------------------------------------------------------------------------------- */
/* `json` receives a text for gametape_free; `length`, which may be null, its bytes without the zero at the end. */

/* Describes the tape. The member names are those of `gametape info --json`:
 *   {"format_version", "tape_id", "created_utc", "start_utc_ns", "duration_ns", "bytes", "complete", "being_written", "recovered_from_journal",
 *    "game", "game_version", "metadata": {key: value},
 *    "loss": {"dropped", "torn", "missed", "gaps"}, "stats": {"late", "unchanged"},
 *    "streams": [{"id", "name", "game", "transport", "layout", "role": "data" or "describe", "describes", "frame_bytes", "frames", "rate_hz",
 *                 "bytes_raw", "bytes_stored", "first_ns", "last_ns", "seen_until_ns", "loss": {…},
 *                 "channels": [{"name", "type", "count", "unit", "offset"}]}],
 *    "problems": [{"kind", "text", "offset", "journal", "stream", "frames_lost"}]}
 * Types: u8 i8 u16 i16 u32 i32 u64 i64 f32 f64 bool char char16 bits8 bits16 bits32 bits64. `start_utc_ns` does not fit the numbers of
 * JavaScript exactly; `created_utc` is the same as text.
 * `rate_hz` is the mean over the stream; an unchanged frame is not stored again. Reads the ends of the tape, not the frames. */
gametape_status gametape_describe(gametape_tape tape, char **json, size_t *length);

/* Lists the events of the tape: {"events": [{"kind", "at_ns", "text", "length_ns"}]}. A mark of a user has the kind "mark". */
gametape_status gametape_events(gametape_tape tape, char **json, size_t *length);

/* Finds sessions, stints and laps: the document of `gametape laps TAPE --json`. Slow the first time, since it reads all frames; the tape
 * remembers the result. A tape without laps gives {"sessions": []}. GAMETAPE_DAMAGED: the document is there; parts of the tape could not be
 * read. `progress` may be null. */
gametape_status gametape_laps(gametape_tape tape, gametape_progress progress, void *user, char **json, size_t *length);

/* Makes the document that the page of `gametape export --to html` reads: sessions with laps, tracks, marks, and channels over time and by
 * position on the track, reduced to the size of a page. `file` is the name that is shown. `channels` is a JSON list of names such as
 * ["physics/tyreWear", "rpms"], or null for those whose values change; channels that all games share are always there. Reads the whole tape,
 * twice if gametape_laps was not called before. If the game of the tape is unknown, the document has no sessions. GAMETAPE_DAMAGED as in
 * gametape_laps. `progress` may be null. */
gametape_status gametape_report(gametape_tape tape, const char *file, const char *channels, gametape_progress progress, void *user,
                                char **json, size_t *length);

/* Makes the member "lines" of gametape_report for a part of the time, in a finer resolution: for zooming in. Its "laps" are empty. Up to 65536
 * intervals, and not more than one for two frames. `channels` as above. GAMETAPE_DAMAGED as above. `progress` may be null. */
gametape_status gametape_lines(gametape_tape tape, const char *channels, uint64_t from_ns, uint64_t to_ns, gametape_progress progress,
                               void *user, char **json, size_t *length);

/* ---- Channels ---------------------------------------------------------------------------------------------------- */
/* `channel` is a name such as "speedKmh", "tyreWear" or "tyreWear[2]"; an exact name wins, otherwise case is ignored. `stream` is the name of
 * a stream; if it is null, the name is looked up in all of them and may be "physics/speedKmh". `element` is the number of an element of an
 * array, or GAMETAPE_ALL. */

/* The size of what gametape_channel and gametape_channel_raw give. */
typedef struct gametape_shape {
    /* Rows in the range of time: one for each stored frame. Exact for an undamaged tape; fewer come if parts are damaged, never more. */
    uint64_t rows;
    /* Values in a row: more than 1 for an array with GAMETAPE_ALL. */
    uint32_t elements;
    /* Bytes of a value in its own type. */
    uint32_t element_bytes;
} gametape_shape;

/* Tells the size, quickly: the first of two calls. */
gametape_status gametape_channel_shape(gametape_tape tape, const char *stream, const char *channel, uint32_t element, uint64_t from_ns,
                                       uint64_t to_ns, gametape_shape *shape);

/* Reads a channel as double, row by row. `values` has room for `capacity` rows, that is `capacity` * shape.elements doubles; `times_ns` has
 * room for `capacity` times. Either may be null. `*rows` receives the number of rows that were written; with GAMETAPE_SHORT the number that is
 * needed, and nothing was written. Times do not decrease. 64-bit integers are rounded to the nearest double, texts are code units.
 * GAMETAPE_DAMAGED: some rows are missing, the others are there. */
gametape_status gametape_channel(gametape_tape tape, const char *stream, const char *channel, uint32_t element, uint64_t from_ns,
                                 uint64_t to_ns, double *values, uint64_t *times_ns, size_t capacity, size_t *rows);

/* As gametape_channel, but each value has its own type and exactly the bits that the game wrote: shape.element_bytes bytes in the byte order
 * of this machine. `values` has room for `capacity` * shape.elements * shape.element_bytes bytes and need not be aligned. A bool is 0 or 1. */
gametape_status gametape_channel_raw(gametape_tape tape, const char *stream, const char *channel, uint32_t element, uint64_t from_ns,
                                     uint64_t to_ns, void *values, uint64_t *times_ns, size_t capacity, size_t *rows);

/* Finds the smallest and the largest value of a channel in `count` (1 to 1048576) equal intervals, from the index: fast, however long the tape
 * is. The range of time is clipped to the frames of the stream. `starts_ns`, `least` and `largest` have room for `count` each and may be null.
 * An interval without values has NaN. A value near the border of two intervals can be counted in both. For an array, `element` must be the
 * number of an element; of long arrays the index may know only the extremes of all elements together. */
gametape_status gametape_overview(gametape_tape tape, const char *stream, const char *channel, uint32_t element, uint64_t from_ns,
                                  uint64_t to_ns, uint64_t *starts_ns, double *least, double *largest, size_t count);

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

typedef uint32_t gametape_cursor;

/* A frame: the bytes as the game wrote them. In WebAssembly the members are at the offsets 0, 8, 16, 20 and 24, and the size is 32. */
typedef struct gametape_frame {
    uint64_t time_ns;
    /* Its number in its stream. */
    uint64_t seq;
    /* Valid until the next call with this cursor. Not null, even if `length` is 0. */
    const uint8_t *data;
    size_t length;
    /* The "id" of its stream in gametape_describe. */
    uint32_t stream;
} gametape_frame;

/* Opens a cursor before the first frame of a stream, or, if `stream` is null, of all streams of the game in the order of time. */
gametape_status gametape_cursor_open(gametape_tape tape, const char *stream, gametape_cursor *cursor);

/* Moves a cursor before the first frame at or after a time. GAMETAPE_DAMAGED: a part there is damaged; the cursor is after it. */
gametape_status gametape_cursor_seek(gametape_cursor cursor, uint64_t time_ns);

/* Gives the next frame; GAMETAPE_END after the last one. GAMETAPE_DAMAGED: there is no frame in `frame`, the next call continues after the
 * damage. */
gametape_status gametape_cursor_next(gametape_cursor cursor, gametape_frame *frame);

/* Copies the frame of a stream that was current at a time: the last one at or before it. `*length` receives its length, also with
 * GAMETAPE_SHORT; `time_of_frame`, which may be null, its own time. `buffer` may be null if `capacity` is 0. GAMETAPE_END: there is none.
 * GAMETAPE_DAMAGED: it cannot be read. */
gametape_status gametape_frame_at(gametape_tape tape, const char *stream, uint64_t time_ns, void *buffer, size_t capacity, size_t *length,
                                  uint64_t *time_of_frame);

#ifndef __wasm__
/* ---- Writing ----------------------------------------------------------------------------------------------------- */
/* Not in WebAssembly, nor in a library that was built without its feature `write`. */

typedef uint32_t gametape_writer;

/* Creates a tape. An existing file is GAMETAPE_EXISTS. `options` may be null, or JSON:
 *   {"start_utc_ns": 1767225600000000000, "tape_id": "32 hexadecimal digits", "sync_ms": 1000, "journal_bytes": 8388608}
 * All members may be left out: UTC at time 0 is now, the id is random, the other two are as shown. Beside the tape there are journals (TAPE-
 * journal-N) until it is finished. */
gametape_status gametape_create(const char *path, const char *options, gametape_writer *writer);

/* Adds a stream. `description` is JSON:
 *   {"name": "car", "channels": [{"name": "speed", "type": "f32", "unit": "km/h"}, {"name": "tyres", "type": "f32", "count": 4, "unit": "degC"}]}
 * Types are those of gametape_describe. A channel without "count" is a single value. A channel without "offset" follows the one before without
 * a gap; give the offsets of your struct (offsetof) if it has gaps. "frame_bytes" is the size of a frame; without it, frames end with the last
 * channel. Without channels and "frame_bytes", frames are of any size. Frames of text compress well with "layout": "json" or "text". More
 * members: "game", "transport", "layout" (texts), "skip_unchanged" (true: a frame that equals the one before is not stored again). `*stream`
 * receives the number for gametape_append. */
gametape_status gametape_add_stream(gametape_writer writer, const char *description, uint32_t *stream);

/* Appends a frame. When it returns GAMETAPE_OK, the frame is accepted: it survives the end of this process, and a power cut after the interval
 * "sync_ms". It waits for no disk. Times of a stream must not decrease. Numbers in a frame are little-endian. GAMETAPE_REJECTED: the frame was
 * not accepted, which the tape counts. `frame` may be null if `length` is 0. */
gametape_status gametape_append(gametape_writer writer, uint32_t stream, uint64_t time_ns, const void *frame, size_t length);

/* Adds a mark, which users see beside the laps. */
gametape_status gametape_mark(gametape_writer writer, uint64_t time_ns, const char *text);

/* Adds an event of another kind. */
gametape_status gametape_event(gametape_writer writer, uint64_t time_ns, const char *kind, const char *text);

/* Sets a metadata entry; the last value of a key wins. gametape shows "track", "car", "driver" and "note". */
gametape_status gametape_metadata(gametape_writer writer, uint64_t time_ns, const char *key, const char *value);

/* Says what UTC it is at a time of the tape, in nanoseconds since 1970, so that a clock that drifts is corrected later. */
gametape_status gametape_clock(gametape_writer writer, uint64_t time_ns, int64_t utc_ns);

/* Closes the tape and its handle, also if it fails; then everything that was accepted is in the tape and its journals, and `gametape recover`
 * closes it. `json` and `length` may be null; `json` receives {"bytes", "loss": {"dropped"}, "streams": [{"id", "name", "frames", "dropped",
 * "unchanged"}]}. */
gametape_status gametape_finish(gametape_writer writer, char **json, size_t *length);

/* Ends writing without closing the tape, and closes the handle: what was accepted can be read, and `gametape recover` closes the tape. */
gametape_status gametape_abandon(gametape_writer writer);

/* ---- Importing --------------------------------------------------------------------------------------------------- */

/* Makes a tape of a file of another program: .ibt, MoTeC .ld, .vbo, and others; `gametape import --help` lists them. Not in this library: Echo
 * VR and Rocket League. The kind is detected by the bytes of the file. An existing tape is GAMETAPE_EXISTS; a file that cannot be imported is
 * GAMETAPE_FORMAT, and there is no tape then. `options` may be null, or JSON: {"own": true} says that the laps of a lap file are yours.
 * `progress`, `json` and `length` may be null; `json` receives
 *   {"kind", "tape_id", "frames", "bytes_source", "bytes", "problems": [text]}
 * where problems are parts of the file that could not be imported. */
gametape_status gametape_import(const char *source, const char *tape, const char *options, gametape_progress progress, void *user,
                                char **json, size_t *length);
#endif

#ifdef __cplusplus
}
#endif

#endif
