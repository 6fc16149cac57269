import type { ClusterNode, NodeTally } from '../core/cluster/node.ts'
import type { ModelDescriptor, PlacedModel } from '../core/model.ts'
import type { FoundOnHub, PullDesk } from '../core/model-pull.ts'
import type { AccessTokenStore } from '../core/ports/access-token-store.ts'
import type { AccountStore } from '../core/ports/account-store.ts'
import type { AuditLog } from '../core/ports/audit-log.ts'
import type { BodyKeys } from '../core/ports/body-keys.ts'
import type { BudgetLedger } from '../core/ports/budget-ledger.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { DocumentStore } from '../core/ports/document-store.ts'
import type { InferenceLog } from '../core/ports/inference-log.ts'
import type { ModelCatalog } from '../core/ports/model-catalog.ts'
import type { ModelPool } from '../core/ports/model-pool.ts'
import type { OutputStore } from '../core/ports/output-store.ts'
import type { RequestLog } from '../core/ports/request-log.ts'
import type { UsageLog } from '../core/ports/usage-log.ts'
import type { WebhookLog } from '../core/ports/webhook-log.ts'
import type { InspectImage } from '../http/wire/images/decode-image.ts'
import type { ServiceAddresses } from '../http/wire/service-addresses.ts'
import type { BodyRecorder } from '../operations/bodies/body-recorder.ts'
import type { InferenceEvents } from '../operations/deferred/inference-events.ts'
import type { LeftOutFile, ModelServer } from './contract/models.ts'
import type { ServiceLimit } from './contract/service.ts'
import type { OpenIdSettings } from './sign-in/openid/openid-settings.ts'
import type { PasswordHasher } from './sign-in/password-hasher.ts'

/** What the console needs from the rest of the service. */
export interface ConsoleDependencies {
  readonly accounts: AccountStore
  readonly tokens: AccessTokenStore
  readonly usage: UsageLog
  readonly ledger: BudgetLedger
  readonly documents: DocumentStore
  readonly requests: RequestLog
  /** Whose requests are logged, and what the log is encrypted with. */
  readonly bodies: Pick<BodyRecorder, 'of' | 'refresh'>
  readonly bodyKeys: BodyKeys
  readonly log: InferenceLog
  readonly events: InferenceEvents
  readonly outputs: OutputStore
  readonly inspectImage: InspectImage
  readonly webhooks: WebhookLog
  readonly audit: AuditLog
  readonly catalog: ModelCatalog
  /** What one account's requests may name: what is installed, public uploads and its own. */
  readonly catalogFor: (accountId: string) => ModelCatalog
  readonly pool: ModelPool
  readonly clock: Clock
  readonly passwords: PasswordHasher
  readonly pulls: PullDesk
  /** Models of the hub that match some words. @throws {Error} saying what to do where the hub refuses. */
  readonly searchHub: (words: string, options: { readonly signal: AbortSignal }) => Promise<readonly FoundOnHub[]>
  /** What was pulled into the data folder: which models that are, and how one goes. */
  readonly pulledModels: {
    has(model: PlacedModel): boolean
    /** A file that was left out, by its name. */
    findLeftOut(name: string): PlacedModel | undefined
    remove(model: PlacedModel): Promise<void>
  }
  /** Files among the models of this node that are none, and why. */
  readonly leftOutFiles: () => readonly LeftOutFile[]
  /** The servers that run a model for us; none where it runs here. */
  readonly modelServers: (model: ModelDescriptor) => readonly ModelServer[]
  /** Every node that this one shares its work with, itself included; absent where it is alone. */
  readonly clusterNodes?: () => readonly ClusterNode[]
  /** What this node has done so far. */
  readonly tally: () => NodeTally
  /** The origins of links and of the endpoints; known once the service listens. */
  readonly addresses: () => Omit<ServiceAddresses, 'asyncUrl'>
  /** Called with each refused sign-in and one-time code, and the address it came from. */
  readonly onSignInRefused: (event: { readonly address: string }) => void
  /** Called with a download that broke off while its reader was there, and with a sign-in provider that did not answer correctly. */
  readonly onFault: (fault: { readonly requestId: string; readonly error: unknown }) => void
  /** Host names a browser may use, besides loopback, bare addresses and the public one. */
  readonly allowedHosts: readonly string[]
}

/** How people get into the console. */
export interface SignInSettings {
  /** How long a browser stays signed in. */
  readonly sessionMs: number
  /** Whether passwords are taken. */
  readonly local: boolean
  /** Which people need a second factor beside a password. */
  readonly secondFactor: 'optional' | 'owners' | 'everybody'
  /** The provider that people may sign in with; null = none. */
  readonly openId: OpenIdSettings | null
}

/** Plain facts that the console shows. */
export interface ConsoleSettings {
  readonly version: string
  /** Access tokens of one account that can be used at once. */
  readonly mostTokens: number
  /** Whether programs on this machine need no token. */
  readonly openOnLoopback: boolean
  /** Bytes of an asynchronous request. */
  readonly mostBodyBytes: number
  /** Bytes that one account may keep besides requests. */
  readonly mostDocumentBytes: number
  /** The longest time that the request log keeps bodies, and how much of one account. */
  readonly requestLog: { readonly mostKeepMs: number; readonly mostBytes: number }
  readonly limits: readonly ServiceLimit[]
  readonly signIn: SignInSettings
}
