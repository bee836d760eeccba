/* A program as others write them: tests run it on Linux and under Wine, and compare what it prints with what gametape says.
 *
 *   client cat TAPE STREAM CHANNEL     time and values of each row, as `gametape cat`
 *   client raw TAPE STREAM CHANNEL     the bits of the values
 *   client frames TAPE [STREAM]        the bytes of all frames
 *   client document KIND TAPE          a document: describe, events, laps, report, lines; through a source of its own
 *   client check TAPE                  everything that is wrong in a call: null, short buffers, closed handles
 *   client write TAPE                  writes a tape of 300 frames, and reads it
 *   client killed TAPE                 writes 1000 frames and ends without finishing
 *   client import FILE TAPE            imports a file
 *   client hostile TAPE...             calls everything for each tape, whatever it is
 *
 * Says what it found on stdout; 0 if all was well. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

#include "gametape.h"

static int checks;

#define CHECK(condition)                                                                                                                     \
    do {                                                                                                                                     \
        checks++;                                                                                                                            \
        if (!(condition)) {                                                                                                                  \
            printf("failed in line %d: %s (last error: %s)\n", __LINE__, #condition, gametape_last_error());                                  \
            exit(1);                                                                                                                         \
        }                                                                                                                                    \
    } while (0)

#define TEXT_HAS(text, part) CHECK(strstr((text), (part)) != NULL)

static void *memory(size_t bytes)
{
    void *found = malloc(bytes ? bytes : 1);
    if (!found)
        exit(3);
    return found;
}

static gametape_tape open_tape(const char *path)
{
    gametape_tape tape = 0;
    if (gametape_open(path, &tape) != GAMETAPE_OK) {
        printf("error: %s\n", gametape_last_error());
        exit(1);
    }
    return tape;
}

/* ---- a source of our own ------------------------------------------------------------------------------------------ */

struct file {
    FILE *open;
    int64_t size;
    int reads, released;
};

static int64_t file_read(void *user, uint64_t offset, void *buffer, size_t length)
{
    struct file *file = user;
    file->reads++;
    if (fseek(file->open, (long)offset, SEEK_SET) != 0)
        return -1;
    return (int64_t)fread(buffer, 1, length, file->open);
}

static int64_t file_size(void *user) { return ((struct file *)user)->size; }
static void file_release(void *user) { ((struct file *)user)->released++; }

static int64_t lies(void *user, uint64_t offset, void *buffer, size_t length)
{
    (void)user, (void)offset, (void)buffer;
    return (int64_t)length + 1;
}

static int64_t refuses(void *user, uint64_t offset, void *buffer, size_t length)
{
    (void)user, (void)offset, (void)buffer, (void)length;
    return -1;
}

static gametape_source source_of(struct file *file, const char *path)
{
    gametape_source source = {file, file_read, file_size, file_release};
    memset(file, 0, sizeof *file);
    file->open = fopen(path, "rb");
    CHECK(file->open != NULL);
    CHECK(fseek(file->open, 0, SEEK_END) == 0);
    file->size = ftell(file->open);
    return source;
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

static int cat(const char *path, const char *stream, const char *channel, int raw)
{
    gametape_tape tape = open_tape(path);
    gametape_shape shape;
    size_t rows = 0, row, element;
    CHECK(gametape_channel_shape(tape, stream, channel, GAMETAPE_ALL, 0, UINT64_MAX, &shape) == GAMETAPE_OK);
    size_t capacity = (size_t)shape.rows, width = raw ? shape.element_bytes : sizeof(double);
    uint64_t *times = memory(capacity * sizeof *times);
    unsigned char *values = memory(capacity * shape.elements * width);
    if (raw)
        CHECK(gametape_channel_raw(tape, stream, channel, GAMETAPE_ALL, 0, UINT64_MAX, values, times, capacity, &rows) == GAMETAPE_OK);
    else
        CHECK(gametape_channel(tape, stream, channel, GAMETAPE_ALL, 0, UINT64_MAX, (double *)(void *)values, times, capacity, &rows) == GAMETAPE_OK);
    CHECK(rows == capacity);
    for (row = 0; row < rows; row++) {
        printf("%llu", (unsigned long long)times[row]);
        for (element = 0; element < shape.elements; element++) {
            const unsigned char *value = values + (row * shape.elements + element) * width;
            double number;
            size_t byte;
            if (raw) {
                printf(",");
                for (byte = 0; byte < width; byte++)
                    printf("%02x", value[byte]);
            } else {
                memcpy(&number, value, sizeof number);
                printf(",%.17g", number);
            }
        }
        printf("\n");
    }
    free(times);
    free(values);
    return gametape_close(tape) == GAMETAPE_OK ? 0 : 1;
}

static int frames(const char *path, const char *stream)
{
    gametape_tape tape = open_tape(path);
    gametape_cursor cursor;
    gametape_frame frame;
    gametape_status status;
#ifdef _WIN32
    _setmode(_fileno(stdout), _O_BINARY);
#endif
    CHECK(gametape_cursor_open(tape, stream, &cursor) == GAMETAPE_OK);
    /* The cursor keeps the tape. */
    CHECK(gametape_close(tape) == GAMETAPE_OK);
    while ((status = gametape_cursor_next(cursor, &frame)) == GAMETAPE_OK)
        fwrite(frame.data, 1, frame.length, stdout);
    CHECK(status == GAMETAPE_END);
    return gametape_close(cursor) == GAMETAPE_OK ? 0 : 1;
}

static int32_t told(void *user, double done)
{
    double *last = user;
    if (done < *last || done > 1)
        exit(4);
    *last = done;
    return 0;
}

static int32_t stop(void *user, double done)
{
    (void)done;
    ++*(int *)user;
    return 1;
}

static int document(const char *kind, const char *path)
{
    struct file file;
    gametape_source source = source_of(&file, path);
    gametape_tape tape;
    gametape_status status = GAMETAPE_INVALID;
    char *json = NULL;
    size_t length = 0;
    double done = 0;
    CHECK(gametape_open_source(&source, NULL, 0, &tape) == GAMETAPE_OK);
    if (!strcmp(kind, "describe"))
        status = gametape_describe(tape, &json, &length);
    else if (!strcmp(kind, "events"))
        status = gametape_events(tape, &json, &length);
    else if (!strcmp(kind, "laps"))
        status = gametape_laps(tape, told, &done, &json, &length);
    else if (!strcmp(kind, "report"))
        status = gametape_report(tape, "a.gtape", NULL, told, &done, &json, &length);
    else if (!strcmp(kind, "lines"))
        status = gametape_lines(tape, NULL, 1000000000, 2000000000, told, &done, &json, &length);
    CHECK(status == GAMETAPE_OK);
    CHECK(strlen(json) == length);
    puts(json);
    gametape_free(json);
    CHECK(file.released == 0 && file.reads > 0);
    CHECK(gametape_close(tape) == GAMETAPE_OK);
    CHECK(file.released == 1);
    fclose(file.open);
    return 0;
}

/* ---- what is wrong in a call --------------------------------------------------------------------------------------- */

static void check_opening(const char *path)
{
    struct file file;
    gametape_source source = source_of(&file, path), broken = source;
    gametape_tape tape = 77;
    CHECK(gametape_interface() == GAMETAPE_INTERFACE);
    CHECK(strchr(gametape_version(), '.') != NULL);
    gametape_free(NULL);
    CHECK(gametape_alloc(0) == NULL);
    CHECK(gametape_alloc(SIZE_MAX) == NULL);
    char *own = gametape_alloc(100);
    CHECK(own != NULL && (uintptr_t)own % 16 == 0);
    memset(own, 1, 100);
    gametape_free(own);
    CHECK(gametape_open(NULL, &tape) == GAMETAPE_INVALID);
    CHECK(gametape_open(path, NULL) == GAMETAPE_INVALID);
    CHECK(gametape_open("\xff\xfe", &tape) == GAMETAPE_INVALID);
    CHECK(gametape_open("no/such.gtape", &tape) == GAMETAPE_IO);
    TEXT_HAS(gametape_last_error(), "no/such.gtape");
    CHECK(gametape_open_bytes(NULL, 0, &tape) == GAMETAPE_FORMAT);
    CHECK(gametape_open_bytes(NULL, 5, &tape) == GAMETAPE_INVALID);
    CHECK(gametape_open_bytes("no tape", 7, &tape) == GAMETAPE_FORMAT);
    CHECK(gametape_open_bytes("no tape", SIZE_MAX, &tape) == GAMETAPE_INVALID);
    CHECK(gametape_open_source(NULL, NULL, 0, &tape) == GAMETAPE_INVALID);
    CHECK(gametape_open_source(&source, NULL, 1, &tape) == GAMETAPE_INVALID);
    CHECK(gametape_open_source(&source, &source, SIZE_MAX, &tape) == GAMETAPE_INVALID);
    CHECK(gametape_open_source(&source, NULL, 0, NULL) == GAMETAPE_INVALID);
    broken.size = NULL;
    CHECK(gametape_open_source(&broken, NULL, 0, &tape) == GAMETAPE_INVALID);
    CHECK(file.released == 0);
    broken = source;
    broken.read_at = lies;
    CHECK(gametape_open_source(&broken, NULL, 0, &tape) == GAMETAPE_IO);
    broken.read_at = refuses;
    CHECK(gametape_open_source(&broken, NULL, 0, &tape) == GAMETAPE_IO);
    CHECK(file.released == 2);
    CHECK(tape == 77);
    CHECK(gametape_close(0) == GAMETAPE_HANDLE);
    CHECK(gametape_close(4000000000u) == GAMETAPE_HANDLE);
    fclose(file.open);
}

static void check_documents(gametape_tape tape)
{
    char *json = NULL;
    int calls = 0;
    CHECK(gametape_describe(tape, NULL, NULL) == GAMETAPE_INVALID);
    CHECK(gametape_describe(0, &json, NULL) == GAMETAPE_HANDLE);
    CHECK(gametape_events(0, &json, NULL) == GAMETAPE_HANDLE);
    CHECK(gametape_laps(tape, stop, &calls, &json, NULL) == GAMETAPE_STOPPED && calls == 1);
    CHECK(gametape_report(tape, NULL, NULL, NULL, NULL, &json, NULL) == GAMETAPE_INVALID);
    CHECK(gametape_report(tape, "a", "speedKmh", NULL, NULL, &json, NULL) == GAMETAPE_INVALID);
    CHECK(gametape_report(tape, "a", "[\"no such channel\"]", NULL, NULL, &json, NULL) == GAMETAPE_NOT_FOUND);
    CHECK(gametape_lines(tape, "{}", 0, 1, NULL, NULL, &json, NULL) == GAMETAPE_INVALID);
    CHECK(json == NULL);
    CHECK(gametape_lines(tape, NULL, 9, 3, NULL, NULL, &json, NULL) == GAMETAPE_OK);
    gametape_free(json);
}

static void check_channels(gametape_tape tape)
{
    gametape_shape shape;
    size_t rows = 77, i;
    double one[4] = {-1, -1, -1, -1}, low[10], high[10];
    uint64_t time = 5, starts[10];
    CHECK(gametape_channel_shape(tape, "physics", "speedKmh", GAMETAPE_ALL, 0, UINT64_MAX, NULL) == GAMETAPE_INVALID);
    CHECK(gametape_channel_shape(tape, "physics", NULL, GAMETAPE_ALL, 0, UINT64_MAX, &shape) == GAMETAPE_INVALID);
    CHECK(gametape_channel_shape(tape, "no", "speedKmh", GAMETAPE_ALL, 0, UINT64_MAX, &shape) == GAMETAPE_NOT_FOUND);
    CHECK(gametape_channel_shape(tape, "physics", "spedKmh", GAMETAPE_ALL, 0, UINT64_MAX, &shape) == GAMETAPE_NOT_FOUND);
    TEXT_HAS(gametape_last_error(), "speedKmh");
    CHECK(gametape_channel_shape(tape, "physics", "wheelSlip", 4, 0, UINT64_MAX, &shape) == GAMETAPE_NOT_FOUND);
    CHECK(gametape_channel_shape(tape, "physics", "wheelSlip[1]", 1, 0, UINT64_MAX, &shape) == GAMETAPE_INVALID);
    CHECK(gametape_channel_shape(tape, NULL, "physics/SPEEDKMH", GAMETAPE_ALL, 0, UINT64_MAX, &shape) == GAMETAPE_OK);
    CHECK(shape.rows == 100 && shape.elements == 1 && shape.element_bytes == 4);
    CHECK(gametape_channel_shape(tape, "physics", "wheelSlip", GAMETAPE_ALL, 1000000000, 2000000000, &shape) == GAMETAPE_OK);
    CHECK(shape.rows == 20 && shape.elements == 4);
    CHECK(gametape_channel_shape(tape, "physics", "speedKmh", GAMETAPE_ALL, 7, 7, &shape) == GAMETAPE_OK && shape.rows == 0);
    CHECK(gametape_channel_shape(tape, "physics", "speedKmh", 0, UINT64_MAX, 0, &shape) == GAMETAPE_OK && shape.rows == 0);
    CHECK(gametape_channel_shape(tape, "physics", "speedKmh", 0, 4950000001, UINT64_MAX, &shape) == GAMETAPE_OK && shape.rows == 0);
    /* Short: nothing is written. */
    CHECK(gametape_channel(tape, "physics", "speedKmh", 0, 0, 100000001, one, &time, 2, &rows) == GAMETAPE_SHORT);
    CHECK(rows == 3 && one[0] == -1 && time == 5);
    CHECK(gametape_channel(tape, "physics", "speedKmh", 0, 0, 100000001, one, NULL, 3, &rows) == GAMETAPE_OK);
    CHECK(rows == 3 && one[0] == 120 && one[1] == 122.5 && one[3] == -1);
    CHECK(gametape_channel(tape, "physics", "speedKmh", 0, 100000000, 100000001, NULL, &time, 1, &rows) == GAMETAPE_OK);
    CHECK(rows == 1 && time == 100000000);
    CHECK(gametape_channel(tape, "physics", "speedKmh", 0, 0, 1, one, &time, 1, NULL) == GAMETAPE_INVALID);
    CHECK(gametape_channel(tape, "physics", "speedKmh", 0, 0, 0, NULL, NULL, 0, &rows) == GAMETAPE_OK && rows == 0);
    /* Neither aligned nor longer than it must be. */
    unsigned char *raw = memory(13);
    raw[12] = 9;
    CHECK(gametape_channel_raw(tape, "physics", "speedKmh", 0, 0, 100000001, raw, NULL, 3, &rows) == GAMETAPE_OK && raw[12] == 9);
    CHECK(gametape_channel_raw(tape, "physics", "speedKmh", 0, 0, 50000001, raw + 1, NULL, 2, &rows) == GAMETAPE_OK && raw[12] == 9);
    float first;
    memcpy(&first, raw + 1, sizeof first);
    CHECK(first == 120.0f);
    free(raw);
    CHECK(gametape_overview(tape, "physics", "speedKmh", 0, 0, UINT64_MAX, starts, low, high, 10) == GAMETAPE_OK);
    for (i = 0; i < 10; i++)
        CHECK(low[i] <= high[i] && (i == 0 || starts[i] > starts[i - 1]));
    CHECK(low[0] == 120);
    CHECK(gametape_overview(tape, "physics", "speedKmh", 0, 0, UINT64_MAX, NULL, NULL, NULL, 10) == GAMETAPE_OK);
    CHECK(gametape_overview(tape, "physics", "speedKmh", 0, 0, UINT64_MAX, starts, low, high, 0) == GAMETAPE_INVALID);
    CHECK(gametape_overview(tape, "physics", "speedKmh", 0, 0, UINT64_MAX, starts, low, high, SIZE_MAX) == GAMETAPE_INVALID);
    CHECK(gametape_overview(tape, "physics", "wheelSlip", GAMETAPE_ALL, 0, UINT64_MAX, starts, low, high, 10) == GAMETAPE_INVALID);
    CHECK(gametape_overview(tape, "physics", "wheelSlip", 3, 0, UINT64_MAX, starts, low, high, 10) == GAMETAPE_OK);
    CHECK(gametape_overview(tape, "graphics", "speedKmh", 0, 0, UINT64_MAX, starts, low, high, 10) == GAMETAPE_NOT_FOUND);
    CHECK(gametape_overview(tape, "physics", "speedKmh", 0, 9, 3, starts, low, high, 10) == GAMETAPE_OK && isnan(low[9]));
}

static void check_frames(gametape_tape tape)
{
    gametape_cursor cursor = 0, other;
    gametape_frame frame, kept;
    unsigned char buffer[801];
    size_t length = 0;
    uint64_t at = 0;
    CHECK(gametape_cursor_open(tape, "physics", NULL) == GAMETAPE_INVALID);
    CHECK(gametape_cursor_open(tape, "no", &cursor) == GAMETAPE_NOT_FOUND);
    TEXT_HAS(gametape_last_error(), "graphics");
    CHECK(gametape_cursor_open(0, "physics", &cursor) == GAMETAPE_HANDLE && cursor == 0);
    CHECK(gametape_cursor_open(tape, "physics", &cursor) == GAMETAPE_OK);
    CHECK(gametape_cursor_next(tape, &frame) == GAMETAPE_HANDLE);
    CHECK(gametape_describe(cursor, (char **)&buffer, NULL) == GAMETAPE_HANDLE);
    CHECK(gametape_cursor_next(cursor, NULL) == GAMETAPE_INVALID);
    CHECK(gametape_cursor_next(cursor, &frame) == GAMETAPE_OK && frame.time_ns == 0 && frame.seq == 0 && frame.length == 800);
    CHECK(gametape_cursor_seek(cursor, 1000000001) == GAMETAPE_OK);
    CHECK(gametape_cursor_next(cursor, &frame) == GAMETAPE_OK && frame.time_ns == 1050000000 && frame.seq == 21);
    CHECK(gametape_frame_at(tape, "physics", 1099999999, NULL, 0, &length, &at) == GAMETAPE_SHORT && length == 800 && at == 1050000000);
    CHECK(gametape_frame_at(tape, "physics", 1099999999, NULL, 5, &length, &at) == GAMETAPE_INVALID);
    CHECK(gametape_frame_at(tape, "physics", 1099999999, buffer, 800, NULL, NULL) == GAMETAPE_INVALID);
    buffer[800] = 9;
    CHECK(gametape_frame_at(tape, "physics", 1099999999, buffer, 800, &length, NULL) == GAMETAPE_OK && buffer[800] == 9);
    CHECK(memcmp(buffer, frame.data, 800) == 0);
    CHECK(gametape_cursor_seek(cursor, UINT64_MAX) == GAMETAPE_OK);
    kept = frame;
    CHECK(gametape_cursor_next(cursor, &frame) == GAMETAPE_END && gametape_cursor_next(cursor, &frame) == GAMETAPE_END);
    CHECK(frame.time_ns == kept.time_ns);
    CHECK(gametape_cursor_open(tape, NULL, &other) == GAMETAPE_OK && other != cursor);
    for (at = 0, length = 0; gametape_cursor_next(other, &frame) == GAMETAPE_OK; length++) {
        CHECK(frame.time_ns >= at);
        at = frame.time_ns;
    }
    CHECK(length == 201);
    CHECK(gametape_close(other) == GAMETAPE_OK && gametape_close(other) == GAMETAPE_HANDLE);
    CHECK(gametape_cursor_next(other, &frame) == GAMETAPE_HANDLE);
    CHECK(gametape_close(cursor) == GAMETAPE_OK);
}

static int check(const char *path)
{
    /* The struct in the description of gametape_frame, and in the languages that copy it. */
    CHECK(sizeof(gametape_shape) == 16 && sizeof(gametape_frame) == (sizeof(void *) == 8 ? 40 : 32));
    gametape_tape tape = open_tape(path);
    check_opening(path);
    check_documents(tape);
    check_channels(tape);
    check_frames(tape);
    CHECK(gametape_close(tape) == GAMETAPE_OK && gametape_close(tape) == GAMETAPE_HANDLE);
    printf("%d checks\n", checks);
    return 0;
}

/* ---- writing ------------------------------------------------------------------------------------------------------ */

struct car {
    float speed;
    int8_t gear;
    float tyres[4];
};

static const char *const CAR =
    "{\"name\": \"car\", \"frame_bytes\": 24, \"channels\": ["
    "{\"name\": \"speed\", \"type\": \"f32\", \"unit\": \"km/h\"}, {\"name\": \"gear\", \"type\": \"i8\"},"
    "{\"name\": \"tyres\", \"type\": \"f32\", \"count\": 4, \"offset\": 8, \"unit\": \"degC\"}]}";

static struct car car_at(int i)
{
    struct car car;
    memset(&car, 0, sizeof car);
    car.speed = (float)i * 0.5f, car.gear = (int8_t)(i % 7 - 1), car.tyres[3] = (float)i;
    return car;
}

static int write_tape(const char *path)
{
    gametape_writer writer = 0;
    gametape_tape tape;
    uint32_t stream = 77, text;
    char *json = NULL;
    double speeds[300];
    size_t rows;
    struct car car = car_at(0);
    int i;
    CHECK(sizeof car == 24);
    CHECK(gametape_create(NULL, NULL, &writer) == GAMETAPE_INVALID);
    CHECK(gametape_create(path, NULL, NULL) == GAMETAPE_INVALID);
    CHECK(gametape_create(path, "{\"tape_id\": \"xyz\"}", &writer) == GAMETAPE_INVALID);
    CHECK(gametape_create(path, "{\"journal_bytes\": -1}", &writer) == GAMETAPE_INVALID);
    CHECK(gametape_create(path, "{\"tpe_id\": 1}", &writer) == GAMETAPE_INVALID);
    CHECK(gametape_create("no/such/folder/a.gtape", NULL, &writer) == GAMETAPE_IO && writer == 0);
    CHECK(gametape_create(path, "{\"tape_id\": \"000102030405060708090a0b0c0d0e0f\", \"start_utc_ns\": 1767225600000000000}", &writer) == GAMETAPE_OK);
    CHECK(gametape_create(path, NULL, &tape) == GAMETAPE_EXISTS);
    CHECK(gametape_add_stream(writer, "{}", &stream) == GAMETAPE_INVALID);
    CHECK(gametape_add_stream(writer, "{\"name\": \"a\", \"channels\": [{\"name\": \"x\", \"type\": \"f31\"}]}", &stream) == GAMETAPE_INVALID);
    TEXT_HAS(gametape_last_error(), "f31");
    CHECK(gametape_add_stream(writer, "{\"name\": \"a\", \"frame_bytes\": 3, \"channels\": [{\"name\": \"x\", \"type\": \"f32\"}]}", &stream) == GAMETAPE_INVALID);
    CHECK(gametape_add_stream(writer, "{\"name\": \"a\", \"channels\": [{\"name\": \"x\", \"type\": \"f64\", \"count\": 4294967295}]}", &stream) == GAMETAPE_INVALID);
    CHECK(gametape_add_stream(writer, CAR, NULL) == GAMETAPE_INVALID && stream == 77);
    CHECK(gametape_add_stream(writer, CAR, &stream) == GAMETAPE_OK);
    CHECK(gametape_add_stream(writer, "{\"name\": \"notes\", \"layout\": \"json\"}", &text) == GAMETAPE_OK && text != stream);
    CHECK(gametape_metadata(writer, 0, "track", "Spa") == GAMETAPE_OK);
    CHECK(gametape_metadata(writer, 0, NULL, "Spa") == GAMETAPE_INVALID);
    for (i = 0; i < 300; i++) {
        car = car_at(i);
        CHECK(gametape_append(writer, stream, (uint64_t)i * 10000000u, &car, sizeof car) == GAMETAPE_OK);
    }
    CHECK(gametape_append(writer, stream, 5, &car, sizeof car) == GAMETAPE_REJECTED);
    TEXT_HAS(gametape_last_error(), "earlier");
    CHECK(gametape_append(writer, 65536 + stream, 5, &car, sizeof car) == GAMETAPE_NOT_FOUND);
    CHECK(gametape_append(writer, 999, 5, &car, sizeof car) == GAMETAPE_NOT_FOUND);
    CHECK(gametape_append(writer, text, 5, NULL, 3) == GAMETAPE_INVALID);
    CHECK(gametape_append(writer, text, 5, "{\"a\": 1}", 8) == GAMETAPE_OK);
    CHECK(gametape_mark(writer, 1000, "here") == GAMETAPE_OK);
    CHECK(gametape_event(writer, 2000, "weather", "rain") == GAMETAPE_OK);
    CHECK(gametape_mark(writer, 2000, NULL) == GAMETAPE_INVALID);
    CHECK(gametape_clock(writer, 3000, 1767225600000003000) == GAMETAPE_OK);
    CHECK(gametape_finish(writer, &json, NULL) == GAMETAPE_OK);
    TEXT_HAS(json, "\"frames\":300,\"dropped\":1");
    gametape_free(json);
    CHECK(gametape_finish(writer, NULL, NULL) == GAMETAPE_HANDLE);
    CHECK(gametape_append(writer, stream, 5, &car, sizeof car) == GAMETAPE_HANDLE);
    tape = open_tape(path);
    CHECK(gametape_channel(tape, NULL, "speed", 0, 0, UINT64_MAX, speeds, NULL, 300, &rows) == GAMETAPE_OK && rows == 300);
    for (i = 0; i < 300; i++)
        CHECK(speeds[i] == i * 0.5);
    CHECK(gametape_channel(tape, "car", "tyres", 3, 0, UINT64_MAX, speeds, NULL, 300, &rows) == GAMETAPE_OK && speeds[299] == 299);
    CHECK(gametape_laps(tape, NULL, NULL, &json, NULL) == GAMETAPE_UNKNOWN_GAME);
    CHECK(gametape_report(tape, "a", NULL, NULL, NULL, &json, NULL) == GAMETAPE_OK);
    gametape_free(json);
    CHECK(gametape_describe(tape, &json, NULL) == GAMETAPE_OK);
    puts(json);
    gametape_free(json);
    CHECK(gametape_close(tape) == GAMETAPE_OK);
    return 0;
}

static int killed(const char *path)
{
    gametape_writer writer;
    uint32_t stream;
    int i;
    CHECK(gametape_create(path, NULL, &writer) == GAMETAPE_OK);
    CHECK(gametape_add_stream(writer, CAR, &stream) == GAMETAPE_OK);
    for (i = 0; i < 1000; i++) {
        struct car car = car_at(i);
        CHECK(gametape_append(writer, stream, (uint64_t)i * 1000000u, &car, sizeof car) == GAMETAPE_OK);
    }
    puts("1000 frames");
    fflush(stdout);
    /* No cleaning up of any kind. */
    _Exit(9);
}

static int import(const char *source, const char *path)
{
    char *json = NULL;
    double done = 0;
    int calls = 0;
    FILE *left;
    CHECK(gametape_import(NULL, path, NULL, NULL, NULL, &json, NULL) == GAMETAPE_INVALID);
    CHECK(gametape_import(source, NULL, NULL, NULL, NULL, &json, NULL) == GAMETAPE_INVALID);
    CHECK(gametape_import("no/such/file", path, NULL, NULL, NULL, &json, NULL) == GAMETAPE_IO);
    CHECK(gametape_import(source, path, "{\"mine\": 1}", NULL, NULL, &json, NULL) == GAMETAPE_INVALID);
    CHECK(gametape_import(source, path, NULL, stop, &calls, &json, NULL) == GAMETAPE_STOPPED && calls == 1 && json == NULL);
    left = fopen(path, "rb");
    CHECK(left == NULL);
    CHECK(gametape_import(source, path, "{\"own\": true}", told, &done, &json, NULL) == GAMETAPE_OK && done == 1);
    puts(json);
    gametape_free(json);
    CHECK(gametape_import(source, path, NULL, NULL, NULL, NULL, NULL) == GAMETAPE_EXISTS);
    return 0;
}

/* ---- whatever it is ------------------------------------------------------------------------------------------------ */

static void all_of_it(gametape_tape tape, long counts[3])
{
    char *json = NULL;
    gametape_cursor cursor;
    gametape_frame frame;
    gametape_status status;
    double values[64], low[8], high[8];
    size_t rows, length, i;
    gametape_shape shape;
    static const char *const names[] = {"speedKmh", "wheelSlip", "f32", "u8", "x"};
    static const char *const streams[] = {"physics", "graphics", ".events", ".status", "car"};
    gametape_status (*const documents[])(gametape_tape, char **, size_t *) = {gametape_describe, gametape_events};
    for (i = 0; i < 2; i++)
        if (documents[i](tape, &json, NULL) >= 0)
            gametape_free(json);
    if (gametape_laps(tape, NULL, NULL, &json, NULL) >= 0)
        gametape_free(json);
    if (gametape_report(tape, "x", NULL, NULL, NULL, &json, NULL) >= 0)
        gametape_free(json);
    for (i = 0; i < 5; i++) {
        (void)gametape_channel_shape(tape, NULL, names[i], GAMETAPE_ALL, 0, UINT64_MAX, &shape);
        (void)gametape_channel(tape, NULL, names[i], 0, 0, UINT64_MAX, values, NULL, 64, &rows);
        (void)gametape_channel_raw(tape, "physics", names[i], 0, 1000, 900000000, values, NULL, 64, &rows);
        (void)gametape_overview(tape, NULL, names[i], 0, 0, UINT64_MAX, NULL, low, high, 8);
        (void)gametape_frame_at(tape, streams[i], 1000000000, values, sizeof values, &length, NULL);
    }
    if (gametape_cursor_open(tape, NULL, &cursor) == GAMETAPE_OK) {
        for (i = 0; i < 5000 && (status = gametape_cursor_next(cursor, &frame)) >= 0 && status != GAMETAPE_END; i++) {
            counts[status == GAMETAPE_OK ? 1 : 2]++;
            if (status == GAMETAPE_OK && frame.length)
                counts[0] += frame.data[frame.length - 1];
        }
        (void)gametape_cursor_seek(cursor, 1000000000);
        gametape_close(cursor);
    }
}

static int hostile(int count, char **paths)
{
    long counts[3] = {0, 0, 0};
    int opened = 0, i;
    for (i = 0; i < count; i++) {
        gametape_tape tape;
        if (gametape_open(paths[i], &tape) == GAMETAPE_OK) {
            opened++;
            all_of_it(tape, counts);
            CHECK(gametape_close(tape) == GAMETAPE_OK);
        } else
            CHECK(*gametape_last_error() != 0);
    }
    printf("%d of %d opened, %ld frames, %ld damaged\n", opened, count, counts[1], counts[2]);
    return 0;
}

int main(int count, char **words)
{
    const char *what = count > 2 ? words[1] : "";
    if (!strcmp(what, "cat") && count == 5)
        return cat(words[2], words[3], words[4], 0);
    if (!strcmp(what, "raw") && count == 5)
        return cat(words[2], words[3], words[4], 1);
    if (!strcmp(what, "frames"))
        return frames(words[2], count > 3 ? words[3] : NULL);
    if (!strcmp(what, "document") && count == 4)
        return document(words[2], words[3]);
    if (!strcmp(what, "check"))
        return check(words[2]);
    if (!strcmp(what, "write"))
        return write_tape(words[2]);
    if (!strcmp(what, "killed"))
        return killed(words[2]);
    if (!strcmp(what, "import") && count == 4)
        return import(words[2], words[3]);
    if (!strcmp(what, "hostile"))
        return hostile(count - 2, words + 2);
    return 2;
}
