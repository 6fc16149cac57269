/** The fields of a manifest that select its schema. */
interface Manifest {
  readonly apiVersion: string
  readonly kind: string
}

type Validator = ((data: unknown) => boolean) & { readonly errors?: unknown }

/** Faults of a manifest: violations of the schema of its kind, and fields that the schema does not have. */
export async function findManifestFaults(manifest: Manifest): Promise<readonly string[]> {
  const { apiVersion, kind } = manifest
  const [version = '', group = 'core'] = apiVersion.split('/').reverse()
  const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
  const name = `IoK8sApi${capital(group.split('.')[0] ?? '')}${capital(version)}${kind}`
  const { validate } = (await import(`kubernetes-models/_schemas/${name}`)) as { readonly validate: Validator }
  const unread = new Set<string>()
  const valid = validate(watchReads(manifest, '', unread))
  return [...(valid ? [] : [JSON.stringify(validate.errors)]), ...[...unread].map((path) => `${path} is not in the schema`)]
}

/** The value, with every field that the validator does not read listed in `unread`. */
function watchReads(value: unknown, path: string, unread: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  const fields = new Map(
    Object.entries(value).map(([key, each]) => [key, { path: `${path}/${key}`, value: watchReads(each, `${path}/${key}`, unread) }]),
  )
  for (const field of fields.values()) unread.add(field.path)
  return new Proxy(value, {
    get(target, key) {
      const field = typeof key === 'string' ? fields.get(key) : undefined
      if (field === undefined) return Reflect.get(target, key)
      unread.delete(field.path)
      return field.value
    },
  })
}
