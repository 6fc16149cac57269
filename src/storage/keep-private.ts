import { chmodSync, statSync } from 'node:fs'

const rightsOfOthers = 0o077

/**
 * Takes every right to a file or folder from other users, as folders of older versions gave them.
 * What is not there, or belongs to another user, stays as it is; Windows has other rights.
 */
export function keepPrivate(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined || stats.uid !== process.getuid?.() || (stats.mode & rightsOfOthers) === 0) return
  chmodSync(path, stats.mode & 0o700)
}
