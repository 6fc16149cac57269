import { type Counter, type Histogram, MetricsRegistry } from './metrics-registry.ts'

/** All counters and histograms; gauges are added by the owners of their state. */
export interface ServiceMetrics {
  readonly registry: MetricsRegistry
  readonly requests: Counter
  readonly requestSeconds: Histogram
  readonly tokens: Counter
  readonly images: Counter
  readonly workSeconds: Histogram
  readonly modelLoads: Counter
  readonly modelLoadSeconds: Histogram
  readonly modelUnloads: Counter
  readonly modelCrashes: Counter
  readonly inferencesSubmitted: Counter
  readonly inferencesClaimed: Counter
  readonly inferencesRequeued: Counter
  readonly inferencesCompleted: Counter
  readonly queueSeconds: Histogram
  readonly generatedTokens: Counter
  readonly timeToFirstToken: Histogram
  readonly interTokenLatency: Histogram
  readonly guesses: Counter
  readonly guessedTokens: Counter
  readonly rightTokens: Counter
  readonly stepSeconds: Histogram
  readonly phaseSeconds: Histogram
  readonly outputsDeleted: Counter
  readonly webhookAttempts: Counter
  readonly signInsRefused: Counter
  readonly bodiesDropped: Counter
  readonly faults: Counter
}

const shortSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const tokenSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 1, 2.5, 10]
const longSeconds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600]

/** Creates all counters and histograms. */
export function createServiceMetrics(): ServiceMetrics {
  const registry = new MetricsRegistry()
  const counter = (name: string, help: string, ...labels: readonly string[]): Counter => registry.counter({ name, help, labels })
  const histogram = (bounds: readonly number[], name: string, help: string, ...labels: readonly string[]): Histogram =>
    registry.histogram({ name, help, labels }, bounds)
  return {
    registry,
    requests: counter('sepia_http_requests_total', 'HTTP requests answered.', 'method', 'route', 'status'),
    requestSeconds: histogram(
      shortSeconds,
      'sepia_http_request_seconds',
      'From the first byte in to the last byte out.',
      'method',
      'route',
    ),
    tokens: counter('sepia_tokens_total', 'Tokens read (prompt) and generated (completion).', 'model', 'kind'),
    generatedTokens: counter(
      'sepia_generated_tokens_total',
      'Tokens that models of this node generated, including for other nodes.',
      'model',
    ),
    images: counter('sepia_images_total', 'Images drawn.', 'model'),
    workSeconds: histogram(longSeconds, 'sepia_work_seconds', 'Time of one piece of work on a model.', 'model', 'kind', 'outcome'),
    modelLoads: counter('sepia_model_loads_total', 'Models loaded.', 'model'),
    modelLoadSeconds: histogram(shortSeconds, 'sepia_model_load_seconds', 'Time to load a model.', 'model'),
    modelUnloads: counter('sepia_model_unloads_total', 'Models unloaded on purpose.', 'model', 'reason'),
    modelCrashes: counter('sepia_model_crashes_total', 'Model processes that ended by themselves.', 'model'),
    inferencesSubmitted: counter('sepia_inferences_submitted_total', 'Asynchronous requests accepted.', 'model'),
    inferencesClaimed: counter('sepia_inferences_claimed_total', 'Attempts started.', 'model'),
    inferencesRequeued: counter('sepia_inferences_requeued_total', 'Inferences put back to pending.', 'reason'),
    inferencesCompleted: counter('sepia_inferences_completed_total', 'Inferences completed.', 'model', 'outcome'),
    queueSeconds: histogram(longSeconds, 'sepia_inference_queue_seconds', 'Time from submit to claim.', 'model'),
    timeToFirstToken: histogram(
      [0.01, ...shortSeconds.slice(2)],
      'sepia_time_to_first_token_seconds',
      'From the request to its first token, waiting included.',
      'model',
    ),
    interTokenLatency: histogram(tokenSeconds, 'sepia_inter_token_latency_seconds', 'Between two tokens of one choice.', 'model'),
    guesses: counter('sepia_spec_decode_num_drafts_total', 'Times that tokens were guessed (speculative decoding).', 'model'),
    guessedTokens: counter('sepia_spec_decode_num_draft_tokens_total', 'Tokens that were guessed.', 'model'),
    rightTokens: counter('sepia_spec_decode_num_accepted_tokens_total', 'Guessed tokens that were right.', 'model'),
    stepSeconds: histogram(longSeconds, 'sepia_step_seconds', 'One denoising step of one image.', 'model'),
    phaseSeconds: histogram(
      [0.01, ...longSeconds],
      'sepia_phase_seconds',
      'Time of work by phase: queue, prompt, decode, steps, vae, store.',
      'model',
      'phase',
    ),
    outputsDeleted: counter('sepia_outputs_deleted_total', 'Outputs deleted after their retention.'),
    webhookAttempts: counter('sepia_webhook_attempts_total', 'Webhook deliveries attempted.', 'result'),
    bodiesDropped: counter(
      'sepia_request_log_dropped_total',
      'Bodies left out of the request log: memory was full of waiting ones, the account’s log was full, there was no key, or they could not be written.',
      'reason',
    ),
    signInsRefused: counter('sepia_sign_ins_refused_total', 'Sign-ins and one-time codes that were refused.'),
    faults: counter('sepia_faults_total', 'Unexpected failures that the service survived.', 'where'),
  }
}
