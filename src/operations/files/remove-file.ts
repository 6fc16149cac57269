import { ServiceError } from '../../core/error.ts'
import { type FileDependencies, type FileTarget, findFile } from './file-documents.ts'

/**
 * Removes one of the account's own files, its record before its bytes.
 *
 * @throws {ServiceError} `not_found`.
 */
export async function removeFile(
  deps: Pick<FileDependencies, 'documents' | 'outputs'>,
  target: FileTarget,
  options: { readonly signal: AbortSignal },
): Promise<void> {
  const { parts } = await findFile(deps, target, options)
  if (!(await deps.documents.remove({ kind: 'file', ...target }, options)))
    throw new ServiceError('not_found', 'This file does not exist; it may have been deleted or have expired.')
  await deps.outputs.delete(
    parts.map(({ key }) => key),
    options,
  )
}
