import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../../../core/error.ts'
import { isRecord } from '../../../core/json-value.ts'
import { withRemedy } from '../../../core/text/with-remedy.ts'

/**
 * The error for a model folder that does not fit; the message names the file as it is called inside the folder. Trying again helps only
 * where the system read nothing.
 *
 * @param fault The end of a sentence about the file; what to do follows a semicolon, or is to copy the file again.
 */
export function unusableModel(file: string, fault: string, cause?: unknown): ServiceError {
  const isPassing = cause instanceof Error && (('code' in cause && passing.has(cause.code)) || isOutOfResources.test(cause.message))
  const reason = isPassing ? fault : withRemedy(fault, 'copy it again, or use another model')
  return new ServiceError('inference_failed', `The model cannot be used: ${file} ${reason}.`, {
    cause,
    ...(!isPassing && { param: 'model' }),
  })
}

const passing: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EIO', 'ESTALE'])
/** Errors of the tensor runtime, which have no codes of the system. */
const isOutOfResources = /bad_alloc|allocate memory|Too many open files/u

export type JsonRecord = Readonly<Record<string, unknown>>

/** A text file of a model. @throws {ServiceError} that names the file when it is not there. */
export async function readText(folder: string, file: string): Promise<string> {
  try {
    return await readFile(join(folder, file), 'utf8')
  } catch (error) {
    throw unusableModel(file, 'is missing or cannot be read', error)
  }
}

/** Reads a JSON object of a model folder. */
export async function readJsonObject(folder: string, file: string): Promise<JsonRecord> {
  const text = await readText(folder, file)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw unusableModel(file, 'is not valid JSON', error)
  }
  if (!isRecord(value)) throw unusableModel(file, 'must hold one JSON object')
  return value
}

/** Whether a model folder has a file. */
export async function fileExists(folder: string, file: string): Promise<boolean> {
  try {
    await access(join(folder, file))
    return true
  } catch {
    return false
  }
}

/** Like {@link readJsonObject}, but an absent file reads as an empty object. */
export async function readOptionalJsonObject(folder: string, file: string): Promise<JsonRecord> {
  try {
    return await readJsonObject(folder, file)
  } catch (error) {
    if (error instanceof ServiceError && isMissing(error.cause)) return {}
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT'
}
