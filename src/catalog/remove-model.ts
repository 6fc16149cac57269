import { rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ModelDescriptor } from '../core/model.ts'

/** Deletes a model's folder; for a running service it is there as a whole or not at all. */
export async function removeModel({ folder }: Pick<ModelDescriptor, 'folder'>): Promise<void> {
  const leaving = join(dirname(folder), `.removing-${basename(folder)}`)
  await rm(leaving, { recursive: true, force: true })
  await rename(folder, leaving)
  await rm(leaving, { recursive: true })
}
