import type { Finding } from '../../cli/cli-backend.ts'
import type { Config } from '../../config/settings.ts'
import { type ModelDescriptor, serversOf } from '../../core/model.ts'
import { findWaysOut } from '../ways-out.ts'

/** What is reached through which proxy, and what is not; nothing where none is set. */
export function examineWaysOut(config: Config, models: readonly ModelDescriptor[]): readonly Finding[] {
  const { http, https } = config.proxies
  const { findRoute } = findWaysOut(config)
  const found = listDestinations(config, models).map(([what, url]) => {
    const address = new URL(url)
    return { proxy: findRoute(address)?.proxy ?? null, text: `${what} (${address.host})` }
  })
  const textsOf = (proxy: string | null): string =>
    found.flatMap((destination) => (destination.proxy === proxy ? [destination.text] : [])).join(', ')
  const direct = textsOf(null)
  return [...new Set([https, http].flatMap((proxy) => (proxy === null ? [] : [proxy.name])))].map((name) => {
    const used = textsOf(name)
    const message = `${used === '' ? 'nothing goes' : `${used} go`} through it${direct === '' ? '' : `; directly: ${direct}`}`
    return { subject: `proxy ${name}`, healthy: true, message }
  })
}

/** What the operator names, and where that is. */
function listDestinations(
  { models, outputs, signIn, otlp }: Config,
  all: readonly ModelDescriptor[],
): readonly (readonly [string, string])[] {
  return [
    ['the hub', models.hub.url],
    ...all.flatMap(({ id, upstream }) =>
      upstream === undefined ? [] : serversOf(upstream).map(({ url }) => [`model ${id}`, url] as const),
    ),
    ...(signIn.openId === null ? [] : [['sign-in', signIn.openId.issuer] as const]),
    ...(outputs.type === 's3' ? [['the bucket', outputs.address.endpoint] as const] : []),
    ...(otlp === null ? [] : [['telemetry', otlp.url] as const]),
  ]
}
