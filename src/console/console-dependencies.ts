import type { ClusterNode, NodeTally } from '../core/cluster/node.ts'
import type { InspectImage } from '../core/images/inspect-image.ts'
import type { ModelDescriptor, PlacedModel } from '../core/model.ts'
import type { FoundOnHub, PullDesk } from '../core/model-pull.ts'
import type { BodyKeys } from '../core/ports/body-keys.ts'
import type { ModelCatalog } from '../core/ports/model-catalog.ts'
import type { ModelPool } from '../core/ports/model-pool.ts'
import type { OutputStore } from '../core/ports/output-store.ts'
import type { Store } from '../core/ports/store.ts'
import type { ServiceAddresses } from '../core/service-addresses.ts'
import type { Abortable } from '../core/waiting.ts'
import type { BodyRecorder } from '../operations/bodies/body-recorder.ts'
import type { InferenceEvents } from '../operations/deferred/inference-events.ts'
import type { LeftOutFile, ModelServer } from './contract/models.ts'
import type { ServiceLimit } from './contract/service.ts'
import type { OpenIdSettings } from './sign-in/openid/openid-settings.ts'
import type { PasswordHasher } from './sign-in/password-hasher.ts'

/** Everything that the console needs from the rest of the service. */
export interface ConsoleDependencies
  extends Pick<Store, 'accounts' | 'tokens' | 'usage' | 'ledger' | 'documents' | 'requests' | 'log' | 'webhooks' | 'audit' | 'clock'> {
  /** The switches and the key of the request log. */
  readonly bodies: Pick<BodyRecorder, 'of' | 'refresh'>
  readonly bodyKeys: BodyKeys
  readonly events: InferenceEvents
  readonly outputs: OutputStore
  readonly inspectImage: InspectImage
  readonly catalog: ModelCatalog
  /** What one account's requests may use: installed models, public uploads and its own. */
  readonly catalogFor: (accountId: string) => ModelCatalog
  readonly pool: ModelPool
  readonly passwords: PasswordHasher
  readonly pulls: PullDesk
  /**
   * Searches the hub for models.
   *
   * @throws {Error} with advice when the hub refuses.
   */
  readonly searchHub: (words: string, options: Abortable) => Promise<readonly FoundOnHub[]>
  /** Models in the data folder that were pulled, and their removal. */
  readonly pulledModels: {
    has(model: PlacedModel): boolean
    /** Finds an ignored file by its name. */
    findLeftOut(name: string): PlacedModel | undefined
    remove(model: PlacedModel): Promise<void>
  }
  /** Files in this node's models folders that are not models, and why. */
  readonly leftOutFiles: () => readonly LeftOutFile[]
  /** The servers of a model; empty when it runs here. */
  readonly modelServers: (model: ModelDescriptor) => readonly ModelServer[]
  /** Every node of the cluster, including this one; absent without a cluster. */
  readonly clusterNodes?: () => readonly ClusterNode[]
  /** The counters of this node since its start. */
  readonly tally: () => NodeTally
  /** The origins of links and endpoints; known when the service listens. */
  readonly addresses: () => Omit<ServiceAddresses, 'asyncUrl'>
  /** Called with each refused sign-in and one-time code, and its client's address. */
  readonly onSignInRefused: (event: { readonly address: string }) => void
  /** Called with a download that failed while its client was connected, and with invalid answers of a sign-in provider. */
  readonly onFault: (fault: { readonly requestId: string; readonly error: unknown }) => void
  /** Called once when the built console is older than its sources. */
  readonly onOutdated: () => void
  /** Host names for browsers, besides loopback, bare addresses and the public one. */
  readonly allowedHosts: readonly string[]
}

/** Settings of sign-in. */
export interface SignInSettings {
  /** How long a browser stays signed in. */
  readonly sessionMs: number
  /** Whether passwords are accepted. */
  readonly local: boolean
  /** Accounts that need a second factor in addition to a password. */
  readonly secondFactor: 'optional' | 'owners' | 'everybody'
  /** The OpenID Connect provider; null = none. */
  readonly openId: OpenIdSettings | null
}

/** Settings that the console shows. */
export interface ConsoleSettings {
  readonly version: string
  /** The command line as it is typed: `./sepia` in a clone of the repository. */
  readonly command: 'sepia' | './sepia'
  /** ISO 4217 code of the currency of prices; null = amounts are plain numbers. */
  readonly currency: string | null
  /** Limit of an account's valid access tokens. */
  readonly mostTokens: number
  /** Whether programs on this machine need no token. */
  readonly openOnLoopback: boolean
  /** Size limit of an asynchronous request, in bytes. */
  readonly mostBodyBytes: number
  /** Bytes that one account may store besides requests. */
  readonly maxDocumentBytes: number
  /** Limits of the request log: the longest retention, and bytes per account. */
  readonly requestLog: { readonly mostKeepMs: number; readonly mostBytes: number }
  readonly limits: readonly ServiceLimit[]
  readonly signIn: SignInSettings
}
