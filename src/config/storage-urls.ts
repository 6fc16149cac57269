import type { Kind } from './setting.ts'
import { decodePercents, url } from './setting-kinds.ts'

/** A bucket on a server, as `s3-url` names it. */
export interface BucketAddress {
  /** Origin of the server. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKey: string
  /** Empty = it lies in a file. */
  readonly secretKey: string
}

const bucketName = 'a bucket name has 3 to 63 lower-case letters, digits, dots and hyphens, and begins and ends with a letter or digit.'

const form = 'https://key:secret@host/bucket'

/** `https://key:secret@host/bucket`, with `?region=` where it matters. Faults never repeat it, since it holds a secret. */
export const bucketUrl: Kind<BucketAddress> = {
  form: '<url>',
  parse: (raw) => {
    const wanted = { fault: `expected an address such as ${form}, with ?region= if needed.` }
    const url = typeof raw === 'string' && URL.canParse(raw) ? new URL(raw) : undefined
    if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.hash !== '') return wanted
    const bucket = url.pathname.replace(/^\/+|\/+$/g, '')
    const region = url.searchParams.get('region') ?? 'us-east-1'
    const known = [...url.searchParams.keys()].every((name) => name === 'region')
    if (!known || bucket === '' || !/^[\w-]{1,40}$/.test(region) || url.username === '') return wanted
    if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) return { fault: `names no bucket; ${bucketName}` }
    const secret = { accessKey: decodePercents(url.username), secretKey: decodePercents(url.password) }
    return { value: { endpoint: url.origin, bucket, region, ...secret } }
  },
  print: ({ endpoint, bucket, region, accessKey }) => {
    const url = new URL(`${endpoint}/${bucket}?region=${region}`)
    url.username = accessKey
    return url.href.replace('@', ':***@')
  },
}

const address = url('postgres:', 'postgresql:')
const hosts = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#@]*)(?=[/?#]|$)/

/** `postgres://user:password@host/database`. Faults never repeat it, since it holds a secret. */
export const databaseUrl: Kind<string> = {
  ...address,
  parse: (raw, folder) => {
    if (typeof raw === 'string' && hosts.exec(raw)?.[1]?.includes(','))
      return { fault: 'names several servers; use one address that always leads to the primary, such as a proxy or a virtual IP address.' }
    return address.parse(raw, folder)
  },
}
