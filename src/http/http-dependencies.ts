import type { InspectImage } from '../core/images/inspect-image.ts'
import type { Inference } from '../core/inference.ts'
import type { PlacedModel } from '../core/model.ts'
import type { PullDesk } from '../core/model-pull.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { ModelCatalog } from '../core/ports/model-catalog.ts'
import type { OutputStore } from '../core/ports/output-store.ts'
import type { Store } from '../core/ports/store.ts'
import type { UsageBooks } from '../core/ports/usage-log.ts'
import type { RequestRecord } from '../core/requests/request-record.ts'
import type { ServiceAddresses } from '../core/service-addresses.ts'
import type { WorkUnderWay } from '../operations/access/work-under-way.ts'
import type { AssetDependencies } from '../operations/assets/assets.ts'
import type { BodyRecorder } from '../operations/bodies/body-recorder.ts'
import type { InferenceEvents } from '../operations/deferred/inference-events.ts'
import type { InteractiveDependencies } from '../operations/recorded-work.ts'
import type { AnswerDeadline } from './answers/answer-deadline.ts'
import type { FetchPicture } from './body/fetch-pictures.ts'
import type { CallerDependencies } from './caller.ts'
import type { HttpObserver } from './http-observer.ts'
import type { AccountPlaces } from './limits/account-places.ts'
import type { DrawingsUnderWay } from './limits/drawings-under-way.ts'
import type { RouteDescription } from './route-description.ts'

/** Everything that the public interface needs from the rest of the service. */
export interface HttpDependencies
  extends Omit<InteractiveDependencies, 'runLimitMs' | 'usage' | 'onEnded' | 'onBooked' | 'onFault' | 'onWork'>,
    Omit<CallerDependencies, 'recent' | 'authenticateLoopback'>,
    Pick<Store, 'usage' | 'queue' | 'log' | 'documents' | 'counts' | 'webhooks' | 'audit'> {
  /** Installed models and parts; uploaded ones are in `assets.library`. */
  readonly catalog: ModelCatalog
  readonly assets: AssetDependencies
  /** Running pulls. */
  readonly pulls: Pick<PullDesk, 'list' | 'start'>
  /** Pulled models, which can be deleted. */
  readonly pulledModels: {
    has(model: PlacedModel): boolean
    /** A file that was left out, by its name. */
    findLeftOut(name: string): PlacedModel | undefined
    remove(model: PlacedModel): Promise<void>
  }
  /** Books interactive work. */
  readonly books: UsageBooks
  readonly outputs: OutputStore
  /** Limits the time of answers. Monotonic: changes of the system time do not affect it. */
  readonly deadlineClock: Clock
  readonly events: InferenceEvents
  /** Called with each new deferred inference. */
  readonly onSubmitted: (inference: Inference) => void
  /** Records a request; answers do not wait for it. */
  readonly recordRequest: (record: RequestRecord) => void
  readonly bodies: BodyRecorder
  readonly inspectImage: InspectImage
  /** Fetches pictures that bodies name by their addresses; null = none is fetched. */
  readonly fetchPicture: FetchPicture | null
  readonly addresses: () => ServiceAddresses
  /** Whether the service is shutting down: it takes no new work and is not ready. */
  readonly isDraining: () => boolean
  /** Why the data folder cannot store more, as the end of a sentence; null = it can, or the data is elsewhere. */
  readonly findStorageFault: () => Promise<string | null>
  /** The text of GET /metrics, in Prometheus' exposition format. */
  readonly renderMetrics: () => string
  readonly observer: HttpObserver
  /** Running work, which ends when its account is disabled or its token revoked. */
  readonly underWay: WorkUnderWay
}

/** Further dependencies of routes. */
export interface RouteDependencies extends HttpDependencies {
  /** Maximum bytes of an account's documents. */
  readonly maxDocumentBytes: number
  /** Open answers per account. */
  readonly places: AccountPlaces
  /** Running drawings, for progress requests. */
  readonly drawings: DrawingsUnderWay
  readonly deadline: AnswerDeadline
  /** Every route, for the API document. */
  readonly routes: readonly RouteDescription[]
}
