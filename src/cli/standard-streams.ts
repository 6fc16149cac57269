/** How long a program that has ended waits for who reads its log. */
const lastWordsMs = 5000

/**
 * Says what happens when nobody can be written to any more (`| head -1`, a collector of logs that ended, a full disk): a command ends, in
 * silence where its reader just left; a service goes on without its log, and logs again when it can.
 */
export function outliveReaders(serving: boolean): void {
  process.stderr.on('error', () => {})
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (serving) return
    // As the shell tells of a program that SIGPIPE ended.
    if (error.code === 'EPIPE') process.exit(141)
    process.stderr.write(`Standard output cannot be written: ${error.message}\n`)
    process.exit(1)
  })
}

/** Lets a process that is done end although who reads its log stands still: without, a stopped service would wait for ever. */
export function endWithoutReader(): void {
  if (process.stderr.writableLength > 0 && process.stdout.writableLength === 0) setTimeout(() => process.exit(), lastWordsMs).unref()
}
