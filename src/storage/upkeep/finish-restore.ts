import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { syncFolder } from '../sync-folder.ts'
import { belongsIntoBackup } from './backup-format.ts'

/** Where the database and the files beside it lie. */
export interface DataPlace {
  readonly databaseFile: string
  readonly dataFolder: string
}

/** Folders that a restore makes in the data folder; which of them are there says how far it has come. */
export interface RestoreFolders {
  /** Being unpacked: worth nothing yet. */
  readonly unpacking: string
  /** Unpacked and on stable storage: from here on a restore goes forward only. */
  readonly whole: string
  /** The old content is out of the way. */
  readonly placing: string
  readonly replaced: string
}

/** Where they are in this data folder. */
export function restoreFolders(dataFolder: string): RestoreFolders {
  return {
    unpacking: join(dataFolder, 'restoring'),
    whole: join(dataFolder, 'restoring-whole'),
    placing: join(dataFolder, 'restoring-placing'),
    replaced: join(dataFolder, 'restoring-replaced'),
  }
}

/** Whether a restore was interrupted that must be finished before anybody reads the data folder. */
export function isRestoring(dataFolder: string): boolean {
  const { whole, placing, replaced } = restoreFolders(dataFolder)
  return [whole, placing, replaced].some((folder) => existsSync(folder))
}

/** Brings a restore whose backup is unpacked to its end. The caller owns the folder meanwhile. */
export async function finishRestore(place: DataPlace): Promise<void> {
  for await (const _step of restoreSteps(place));
}

/** Puts what was unpacked into the place of what is there, a rename at a time; begun again after any of them, it comes to the same end. */
export async function* restoreSteps({ databaseFile, dataFolder }: DataPlace): AsyncGenerator<void> {
  const { whole, placing, replaced } = restoreFolders(dataFolder)
  if (existsSync(whole)) {
    await mkdir(replaced, { recursive: true, mode: 0o700 })
    for (const name of await readdir(dataFolder)) {
      // A log that is left of the old database must never be played into the new one.
      if (!belongsIntoBackup(name) && !name.startsWith(basename(databaseFile))) continue
      await rename(join(dataFolder, name), join(replaced, name))
      yield
    }
    await syncFolder(dataFolder)
    await rename(whole, placing)
    yield
  }
  if (existsSync(placing)) {
    const files = join(placing, 'files')
    for (const name of existsSync(files) ? await readdir(files) : []) {
      await rename(join(files, name), join(dataFolder, name))
      yield
    }
    if (existsSync(join(placing, 'database'))) await rename(join(placing, 'database'), databaseFile)
    yield
    await syncFolder(dataFolder)
    await rm(placing, { recursive: true })
    yield
  }
  await rm(replaced, { recursive: true, force: true })
}
