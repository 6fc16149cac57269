import { UsageError } from '../../cli/failures.ts'
import { databaseUrl } from '../../config/storage-urls.ts'
import { readSecretFile } from './read-secret-file.ts'

/**
 * The address of the database: the setting's, or what its file holds.
 *
 * @throws {UsageError} when the file cannot be read or holds none; what it holds is not told.
 */
export async function readDatabaseUrl({ url, urlFile }: { readonly url: string | null; readonly urlFile: string | null }): Promise<string> {
  if (url !== null) return url
  const where = 'database-url-file'
  const text = await readSecretFile(urlFile ?? '', { where, least: 1 })
  const parsed = databaseUrl.parse(text, '')
  if ('value' in parsed) return parsed.value
  throw new UsageError([{ where, message: `${urlFile}: ${parsed.fault}` }])
}
