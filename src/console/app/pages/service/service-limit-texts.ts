import type { ServiceLimit, ServiceLimitName } from '../../../contract/service.ts'
import { wholeText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { byteText } from '../../parts/byte-text.ts'
import { durationText } from '../../parts/duration-text.ts'

const percent = (share: number) => t`${Math.round(share * 100)} %`

/** Every limit of the service: how it is called, and how its amount is said. */
const texts: Readonly<Record<ServiceLimitName, readonly [name: string, say: (most: number) => string]>> = {
  modelMemoryBytes: [t`Memory of all loaded models`, byteText],
  threadsPerEngine: [t`Threads per engine`, wholeText],
  sequencesPerTextModel: [t`Sequences at once per text model`, wholeText],
  waitingPerTextModel: [t`Requests waiting per text model`, wholeText],
  waitingPerImageModel: [t`Requests waiting per image model`, wholeText],
  waitingAsynchronous: [t`Asynchronous requests waiting`, wholeText],
  shareOfQueue: [t`Of every queue for one account`, percent],
  storedBytesPerAccount: [t`Stored for one account`, byteText],
  keptBytesPerAccount: [t`Kept for one account besides requests`, byteText],
  requestsPerMinute: [t`Requests a minute`, wholeText],
  waitForModelMs: [t`Waiting for a model`, durationText],
  runMs: [t`One run on a model`, durationText],
  synchronousBodyBytes: [t`Body of a synchronous request`, byteText],
  asynchronousBodyBytes: [t`Body of an asynchronous request`, byteText],
}

/** How people call a limit of the service. */
export function limitName({ name }: ServiceLimit): string {
  return texts[name][0]
}

/** How much a limit of the service lets through. */
export function limitAmount({ name, most }: ServiceLimit): string {
  return most === null ? t`no limit` : texts[name][1](most)
}
