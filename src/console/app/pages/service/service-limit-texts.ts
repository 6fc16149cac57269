import type { ServiceLimit, ServiceLimitName } from '../../../contract/service.ts'
import { percentText, wholeText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { settingByteText } from '../../parts/byte-text.ts'
import { durationText } from '../../parts/duration-text.ts'

/** The name of each limit of the service, and the format of its amount. */
const texts: Readonly<Record<ServiceLimitName, readonly [name: string, say: (most: number) => string]>> = {
  modelMemoryBytes: [t`Memory of all loaded models`, settingByteText],
  threadsPerEngine: [t`Threads per engine`, wholeText],
  sequencesPerTextModel: [t`Sequences at once per text model`, wholeText],
  waitingPerTextModel: [t`Requests waiting per text model`, wholeText],
  waitingPerImageModel: [t`Requests waiting per image model`, wholeText],
  waitingAsynchronous: [t`Asynchronous requests waiting`, wholeText],
  shareOfQueue: [t`Share of each queue for one account`, percentText],
  storedBytesPerAccount: [t`Requests and results of one account`, settingByteText],
  keptBytesPerAccount: [t`Other stored data of one account`, settingByteText],
  requestsPerMinute: [t`Requests a minute`, wholeText],
  waitForModelMs: [t`Waiting for a model`, durationText],
  runMs: [t`One run on a model`, durationText],
  synchronousBodyBytes: [t`Size of a synchronous request`, settingByteText],
  asynchronousBodyBytes: [t`Size of an asynchronous request`, settingByteText],
}

/** The display name of a limit. */
export function limitName({ name }: ServiceLimit): string {
  return texts[name][0]
}

/** The amount of a limit as text. */
export function limitAmount({ name, most }: ServiceLimit): string {
  return most === null ? t`no limit` : texts[name][1](most)
}
