/** A model on the hub: `hf:<owner>/<repository>[@<revision>][:<choice>]`. */
export interface HubReference {
  /** `<owner>/<repository>` as it was written. */
  readonly repository: string
  /** A branch, tag or commit. */
  readonly revision: string
  /** A quantization such as `Q4_K_M`, or a file's path; null = the default one. */
  readonly choice: string | null
}

const name = '[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9])?'
const reference = new RegExp(
  `^hf:(?<repository>${name}/${name})(?:@(?<revision>[A-Za-z0-9._/-]{1,128}))?(?::(?<choice>[A-Za-z0-9._/-]{1,200}))?$`,
)

/** Whether a source of models means the hub. */
export function isHubSource(source: string): boolean {
  return source.startsWith('hf:')
}

/** @throws {Error} saying how such a name is written. */
export function parseHubReference(source: string): HubReference {
  const { repository, revision = 'main', choice = null } = reference.exec(source)?.groups ?? {}
  const escapes = [revision, choice ?? ''].some((part) => part.split('/').some((step) => step === '..' || step === '.'))
  if (repository === undefined || escapes)
    throw new Error(
      `${source} is not a hub name; write hf:<owner>/<repository>, followed by @<revision> and :<quantization or file> if needed.`,
    )
  return { repository, revision, choice }
}
