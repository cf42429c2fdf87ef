// Records what a program does to the files of a store and what it answers on standard output, in the order in which it
// happens. It is preloaded (LD_PRELOAD); FIBULA_POWER_STORE is the path of the store, FIBULA_POWER_RECORD that of the record.
//
// An event is a header of 16 bytes (its kind, the file, two bytes of padding, the number of bytes that follow, an offset),
// then these bytes. Calls wait for each other, so that the order of the record is that of the effects.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NONE, DATABASE, LOG, INDEX, JOURNAL, FOLDER };
enum { DESCRIPTORS = 4096, SHARED_MEMORY = 1 << 15 };

struct event {
    uint8_t kind, file, padding[2];
    uint32_t length;
    uint64_t offset;
};

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int record = -1;
static const char *store;
static char folder[4096];
static uint8_t files[DESCRIPTORS];
static struct stat output;

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);
static int (*real_open)(const char *, int, ...);
static int (*real_close)(int);
static int (*real_unlink)(const char *);
static int (*real_truncate)(int, off64_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);

__attribute__((constructor)) static void begin(void) {
    real_write = dlsym(RTLD_NEXT, "write");
    real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
    real_open = dlsym(RTLD_NEXT, "open64");
    real_close = dlsym(RTLD_NEXT, "close");
    real_unlink = dlsym(RTLD_NEXT, "unlink");
    real_truncate = dlsym(RTLD_NEXT, "ftruncate64");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    store = getenv("FIBULA_POWER_STORE");
    const char *path = getenv("FIBULA_POWER_RECORD");
    if (store && path && strlen(store) < sizeof folder) {
        strcpy(folder, store);
        *strrchr(folder, '/') = 0;
        fstat(STDOUT_FILENO, &output);
        record = real_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    }
}

static void put(const void *from, size_t length) {
    const char *bytes = from;
    while (length > 0) {
        ssize_t done = real_write(record, bytes, length);
        if (done < 0) abort();
        bytes += done;
        length -= done;
    }
}

static void note(char kind, int file, uint64_t offset, const void *bytes, size_t length) {
    struct event event = {kind, file, {0, 0}, length, offset};
    put(&event, sizeof event);
    put(bytes, length);
}

static int file_of_path(const char *path) {
    if (record < 0) return NONE;
    if (!strcmp(path, folder)) return FOLDER;
    size_t length = strlen(store);
    if (strncmp(path, store, length)) return NONE;
    const char *rest = path + length;
    if (!*rest) return DATABASE;
    if (!strcmp(rest, "-wal")) return LOG;
    if (!strcmp(rest, "-shm")) return INDEX;
    return strcmp(rest, "-journal") ? NONE : JOURNAL;
}

static int file_of(int descriptor) {
    return descriptor >= 0 && descriptor < DESCRIPTORS ? files[descriptor] : NONE;
}

// Programs write to copies of the descriptor, too.
static int is_output(int descriptor) {
    struct stat found;
    return fstat(descriptor, &found) == 0 && found.st_dev == output.st_dev && found.st_ino == output.st_ino;
}

// The shared-memory file is written through a mapping: what it holds is recorded at each synchronisation.
static void note_index(void) {
    static char bytes[SHARED_MEMORY];
    char path[4200];
    strcpy(path, store);
    strcat(path, "-shm");
    int descriptor = real_open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    ssize_t length = pread(descriptor, bytes, sizeof bytes, 0);
    real_close(descriptor);
    if (length > 0) note('i', INDEX, 0, bytes, length);
}

int open64(const char *path, int flags, ...) {
    int mode = 0;
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, int);
        va_end(rest);
    }
    if (!real_open) begin();
    int file = file_of_path(path);
    if (file == NONE) return real_open(path, flags, mode);
    pthread_mutex_lock(&turn);
    int is_new = access(path, F_OK) != 0;
    int descriptor = real_open(path, flags, mode);
    if (descriptor >= DESCRIPTORS) abort();
    if (descriptor >= 0) {
        files[descriptor] = file;
        if (is_new) note('c', file, 0, 0, 0);
        if (flags & O_TRUNC) note('t', file, 0, 0, 0);
    }
    pthread_mutex_unlock(&turn);
    return descriptor;
}

int open(const char *path, int flags, ...) __attribute__((alias("open64")));

int close(int descriptor) {
    if (file_of(descriptor) != NONE) files[descriptor] = NONE;
    return real_close(descriptor);
}

int unlink(const char *path) {
    int file = file_of_path(path);
    if (file == NONE) return real_unlink(path);
    pthread_mutex_lock(&turn);
    int failed = real_unlink(path);
    if (!failed) note('u', file, 0, 0, 0);
    pthread_mutex_unlock(&turn);
    return failed;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset) {
    int file = file_of(descriptor);
    if (file == NONE) return real_pwrite(descriptor, bytes, length, offset);
    pthread_mutex_lock(&turn);
    ssize_t done = real_pwrite(descriptor, bytes, length, offset);
    if (done > 0) note('w', file, offset, bytes, done);
    pthread_mutex_unlock(&turn);
    return done;
}

ssize_t pwrite(int, const void *, size_t, off64_t) __attribute__((alias("pwrite64")));

ssize_t write(int descriptor, const void *bytes, size_t length) {
    int file = file_of(descriptor);
    if (record < 0 || (file == NONE && !is_output(descriptor)))
        return real_write(descriptor, bytes, length);
    pthread_mutex_lock(&turn);
    ssize_t done;
    if (file == NONE) {
        // Whoever reads an answer may rely on it from here on.
        note('a', NONE, 0, bytes, length);
        done = real_write(descriptor, bytes, length);
        if (done != (ssize_t)length) abort();
    } else {
        off64_t offset = lseek64(descriptor, 0, SEEK_CUR);
        done = real_write(descriptor, bytes, length);
        if (done > 0) note('w', file, offset, bytes, done);
    }
    pthread_mutex_unlock(&turn);
    return done;
}

int ftruncate64(int descriptor, off64_t length) {
    int file = file_of(descriptor);
    if (file == NONE) return real_truncate(descriptor, length);
    pthread_mutex_lock(&turn);
    int failed = real_truncate(descriptor, length);
    if (!failed) note('t', file, length, 0, 0);
    pthread_mutex_unlock(&turn);
    return failed;
}

int ftruncate(int, off64_t) __attribute__((alias("ftruncate64")));

static int synchronise(int (*how)(int), int descriptor) {
    int file = file_of(descriptor);
    if (file == NONE) return how(descriptor);
    pthread_mutex_lock(&turn);
    int failed = how(descriptor);
    if (!failed) note('s', file, 0, 0, 0);
    note_index();
    pthread_mutex_unlock(&turn);
    return failed;
}

int fsync(int descriptor) { return synchronise(real_fsync, descriptor); }

int fdatasync(int descriptor) { return synchronise(real_fdatasync, descriptor); }
