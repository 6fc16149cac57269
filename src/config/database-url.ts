import type { Kind } from './setting.ts'
import { url } from './setting-kinds.ts'

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
