import type { Inference } from '../core/inference.ts'
import type { PlacedModel } from '../core/model.ts'
import type { PullDesk } from '../core/model-pull.ts'
import type { AuditLog } from '../core/ports/audit-log.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { DocumentStore } from '../core/ports/document-store.ts'
import type { InferenceLog } from '../core/ports/inference-log.ts'
import type { InferenceQueue } from '../core/ports/inference-queue.ts'
import type { ModelCatalog } from '../core/ports/model-catalog.ts'
import type { OutputStore } from '../core/ports/output-store.ts'
import type { SharedCounts, UsageLog } from '../core/ports/usage-log.ts'
import type { WebhookLog } from '../core/ports/webhook-log.ts'
import type { RequestRecord } from '../core/requests/request-record.ts'
import type { WorkUnderWay } from '../operations/access/work-under-way.ts'
import type { AssetDependencies } from '../operations/assets/assets.ts'
import type { BodyRecorder } from '../operations/bodies/body-recorder.ts'
import type { InteractiveDependencies } from '../operations/booked.ts'
import type { InferenceEvents } from '../operations/deferred/inference-events.ts'
import type { AnswerDeadline } from './answers/answer-deadline.ts'
import type { CallerDependencies } from './caller.ts'
import type { HttpObserver } from './http-observer.ts'
import type { AccountPlaces } from './limits/account-places.ts'
import type { DrawingsUnderWay } from './limits/drawings-under-way.ts'
import type { RouteDescription } from './route-description.ts'
import type { InspectImage } from './wire/images/decode-image.ts'
import type { ServiceAddresses } from './wire/service-addresses.ts'

/** What the public interface needs from the rest of the service. */
export interface HttpDependencies
  extends Omit<InteractiveDependencies, 'runLimitMs' | 'usage' | 'onEnded' | 'onBooked' | 'onFault' | 'onWork'>,
    Omit<CallerDependencies, 'recent' | 'onFault' | 'authenticateLoopback'> {
  /** Installed models and parts; what a caller uploaded comes from `assets.library`. */
  readonly catalog: ModelCatalog
  readonly assets: AssetDependencies
  /** Models that are being pulled. */
  readonly pulls: Pick<PullDesk, 'list' | 'start'>
  /** Models in the folder of pulled ones, which can be deleted. */
  readonly pulledModels: {
    has(model: PlacedModel): boolean
    /** A file that was left out, by its name. */
    findLeftOut(name: string): PlacedModel | undefined
    remove(model: PlacedModel): Promise<void>
  }
  readonly usage: UsageLog
  /** Books work whose caller waited. */
  readonly books: Pick<UsageLog, 'append'>
  readonly queue: InferenceQueue
  readonly log: InferenceLog
  readonly outputs: OutputStore
  readonly documents: DocumentStore
  readonly counts: SharedCounts
  /** Goes on whatever becomes of the machine's time. Answers that take too long by it are given up. */
  readonly deadlineClock: Clock
  readonly webhooks: WebhookLog
  readonly audit: AuditLog
  readonly events: InferenceEvents
  /** Called with each new deferred inference. */
  readonly onSubmitted: (inference: Inference) => void
  /** Keeps what was requested; no answer waits for it. */
  readonly recordRequest: (record: RequestRecord) => void
  /** The request log. */
  readonly bodies: BodyRecorder
  readonly inspectImage: InspectImage
  readonly addresses: () => ServiceAddresses
  /** Whether the service is on its way out: no new work, and not ready. */
  readonly isDraining: () => boolean
  /** Why nothing more can be stored in the data folder, as the end of a sentence; null = it can, or the data is elsewhere. */
  readonly findStorageFault: () => Promise<string | null>
  /** The text of GET /metrics, in Prometheus' exposition format. */
  readonly renderMetrics: () => string
  readonly observer: HttpObserver
  /** Where requests note themselves, so that they end when their account is disabled or their token revoked. */
  readonly underWay: WorkUnderWay
}

/** What a route needs besides. */
export interface RouteDependencies extends HttpDependencies {
  /** What each account holds open. */
  readonly places: AccountPlaces
  /** What is being drawn for those who ask for its progress. */
  readonly drawings: DrawingsUnderWay
  readonly deadline: AnswerDeadline
  /** Every route, for what describes them. */
  readonly routes: readonly RouteDescription[]
}
