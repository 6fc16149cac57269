/** What becomes of one field that a published client can send. */
export interface PublishedField {
  readonly fate: 'honoured' | 'refused' | 'ignored'
  /** A value to send; absent where no request can do without the field. */
  readonly sample?: unknown
  /** What else such a request needs. */
  readonly beside?: Readonly<Record<string, unknown>>
  /** Which values are taken, or why it may be ignored. */
  readonly words: string
  /** Whether only an engine with weights honours it, so that the fake one says by name that it does not. */
  readonly engine?: boolean
}

/** A request as a published client declares it. */
export interface PublishedSurface {
  readonly route: string
  /** The client's package, and within it the file and the interface of the request. */
  readonly declared: readonly [client: 'openai' | '@anthropic-ai/sdk', file: string, name: string]
  readonly form?: true
  /** The least that is accepted, files and ids left out. */
  readonly least: Readonly<Record<string, unknown>>
  readonly fields: Readonly<Record<string, PublishedField>>
}

const needed: PublishedField = { fate: 'honoured', words: '' }
const honoured = (sample: unknown, words = '', beside = {}): PublishedField => ({ fate: 'honoured', sample, words, beside })
const refused = (sample: unknown = 'x'): PublishedField => ({ fate: 'refused', sample, words: '' })
const ignored = (sample: unknown, words: string, beside = {}): PublishedField => ({ fate: 'ignored', sample, words, beside })

const anonymous = ignored('me', 'a name for the end user; not kept')
const warm = 'prompts are kept warm by themselves'
const messages = [{ role: 'user', content: 'Hi' }]
const schema = { type: 'object', properties: {} }
const tools = [{ type: 'function', function: { name: 'look', parameters: schema } }]
const responseTools = [{ type: 'function', name: 'look', parameters: schema }]
const messageTools = [{ name: 'look', input_schema: schema }]
const expiry = { anchor: 'created_at', seconds: 3600 }

const sampling = {
  frequency_penalty: honoured(0.5),
  logit_bias: honoured({ 5: 1 }),
  max_tokens: honoured(4),
  n: honoured(2, '1 to 16'),
  presence_penalty: honoured(0.5),
  seed: honoured(1),
  stop: honoured(['x']),
  stream: honoured(true),
  stream_options: honoured({ include_usage: true }, 'with `stream`', { stream: true }),
  temperature: honoured(0),
  top_p: honoured(0.5),
  user: anonymous,
}

const pictures = {
  model: honoured('fake-image'),
  n: honoured(2, '1 to 16'),
  response_format: honoured('url', '`b64_json` by default'),
  size: honoured('128x128', 'what the model draws'),
  user: anonymous,
}

const drawing = {
  ...pictures,
  prompt: needed,
  background: honoured('opaque', '`auto` and `opaque`'),
  complexity: refused(),
  frame_count: refused('2'),
  frame_duration_ms: refused('100'),
  output_compression: honoured(50, 'with jpeg and webp', { output_format: 'jpeg' }),
  output_format: honoured('webp'),
  partial_images: honoured(1, 'with `stream`', { stream: true }),
  quality: honoured('low', 'as a number of steps'),
  safety_identifier: ignored('me', 'a name for the end user; not kept'),
  stream: honoured(true),
  svg: refused('{"a":1}'),
}

const conversation = {
  messages: needed,
  model: needed,
  cache_control: ignored({ type: 'ephemeral' }, warm),
  output_config: honoured({ effort: 'low' }),
  speed: refused('fast'),
  system: honoured('Be brief.'),
  thinking: honoured({ type: 'disabled' }),
  tool_choice: honoured({ type: 'auto' }, 'with `tools`', { tools: messageTools }),
  tools: honoured(messageTools, 'tools of your own; those built in are refused by name'),
  user_profile_id: refused(),
  workspace_id: refused(),
}

/** Every field of every surface that published clients know, and what becomes of it. */
export const publishedSurfaces: readonly PublishedSurface[] = [
  {
    route: '/v1/chat/completions',
    declared: ['openai', 'resources/chat/completions/completions.d.ts', 'ChatCompletionCreateParamsBase'],
    least: { model: 'fake-chat', messages },
    fields: {
      ...sampling,
      messages: needed,
      model: needed,
      audio: refused({ format: 'mp3', voice: 'x' }),
      function_call: honoured('auto', 'with `functions`', { functions: [{ name: 'look' }] }),
      functions: honoured([{ name: 'look' }], 'one call at most, as `function_call`'),
      logprobs: honoured(true),
      max_completion_tokens: honoured(4),
      metadata: honoured({ a: 'b' }, 'comes back, and lists find stored answers by it'),
      modalities: honoured(['text'], '`text` only'),
      moderation: refused({ model: 'x' }),
      parallel_tool_calls: honoured(false, '', { tools }),
      prediction: ignored({ type: 'content', content: 'x' }, 'a hint for speed; the answer is the same without'),
      prompt_cache_key: ignored('x', warm),
      prompt_cache_options: ignored({}, warm),
      prompt_cache_retention: ignored('24h', warm),
      reasoning_effort: honoured('low', 'by models that think'),
      response_format: honoured({ type: 'json_object' }),
      safety_identifier: ignored('me', 'a name for the end user; not kept'),
      service_tier: honoured('flex', 'as a priority among your own requests'),
      store: honoured(true, 'kept for 24 hours'),
      tool_choice: honoured('auto', 'with `tools`', { tools }),
      tools: honoured(tools, 'functions and custom tools'),
      top_logprobs: honoured(2, 'with `logprobs`', { logprobs: true }),
      verbosity: ignored('low', 'limit answers with `max_tokens`'),
      web_search_options: refused({}),
    },
  },
  {
    route: '/v1/completions',
    declared: ['openai', 'resources/completions.d.ts', 'CompletionCreateParamsBase'],
    least: { model: 'fake-chat', prompt: 'Hi' },
    fields: {
      ...sampling,
      model: needed,
      prompt: needed,
      best_of: honoured(1, '`1` only'),
      echo: honoured(true),
      logprobs: honoured(2),
      suffix: honoured('x', 'by models that fill gaps'),
    },
  },
  {
    route: '/v1/embeddings',
    declared: ['openai', 'resources/embeddings.d.ts', 'EmbeddingCreateParams'],
    least: { model: 'fake-chat', input: 'Hi' },
    fields: {
      input: needed,
      model: needed,
      dimensions: honoured(4),
      encoding_format: honoured('base64'),
      user: anonymous,
    },
  },
  {
    route: '/v1/images/generations',
    declared: ['openai', 'resources/images.d.ts', 'ImageGenerateParamsBase'],
    least: { prompt: 'a fox' },
    fields: { ...drawing, moderation: honoured('auto', '`auto` only'), style: refused('vivid') },
  },
  {
    route: '/v1/images/edits',
    declared: ['openai', 'resources/images.d.ts', 'ImageEditParamsBase'],
    form: true,
    least: { prompt: 'a fox' },
    fields: { ...drawing, image: needed, input_fidelity: honoured('high'), markup: refused(), mask: honoured('mask') },
  },
  {
    route: '/v1/images/variations',
    declared: ['openai', 'resources/images.d.ts', 'ImageCreateVariationParams'],
    form: true,
    least: {},
    fields: { ...pictures, image: needed },
  },
  {
    route: '/v1/responses',
    declared: ['openai', 'resources/responses/responses.d.ts', 'ResponseCreateParamsBase'],
    least: { model: 'fake-chat', input: 'Hi' },
    fields: {
      model: needed,
      input: needed,
      access_programs: refused([]),
      background: honoured(true),
      context_management: refused([]),
      conversation: refused('conv_1'),
      image: refused(),
      include: honoured(['message.output_text.logprobs'], 'logprobs and encrypted reasoning'),
      instructions: honoured('Be brief.'),
      max_output_tokens: honoured(16),
      max_tool_calls: refused(1),
      metadata: honoured({ a: 'b' }),
      moderation: refused({ model: 'x' }),
      parallel_tool_calls: honoured(false, '', { tools: responseTools }),
      previous_response_id: honoured('earlier'),
      prompt: refused({ id: 'pmpt_1' }),
      prompt_cache_key: ignored('x', warm),
      prompt_cache_options: ignored({}, warm),
      prompt_cache_retention: ignored('24h', warm),
      reasoning: honoured({ effort: 'low' }, 'by models that think'),
      safety_identifier: ignored('me', 'a name for the end user; not kept'),
      service_tier: honoured('flex', 'as a priority among your own requests'),
      store: honoured(false),
      stream: honoured(true),
      stream_options: ignored({ include_obfuscation: true }, 'events are never padded', { stream: true }),
      temperature: honoured(0),
      text: honoured({ format: { type: 'json_object' } }),
      tool_choice: honoured('auto', 'with `tools`', { tools: responseTools }),
      tools: honoured(responseTools, 'functions; tools built in are refused by name'),
      top_logprobs: honoured(2, 'with `include`', { include: ['message.output_text.logprobs'] }),
      top_p: honoured(0.5),
      truncation: honoured('disabled', '`disabled` only'),
      user: anonymous,
    },
  },
  {
    route: '/v1/messages',
    declared: ['@anthropic-ai/sdk', 'resources/messages/messages.d.ts', 'MessageCreateParamsBase'],
    least: { model: 'fake-chat', messages, max_tokens: 16 },
    fields: {
      ...conversation,
      max_tokens: needed,
      container: refused(),
      diagnostics: refused({}),
      inference_geo: refused('us'),
      metadata: ignored({ user_id: 'me' }, 'a name for the end user; not kept'),
      service_tier: ignored('auto', 'there is one tier'),
      stop_sequences: honoured(['x']),
      stream: honoured(true),
    },
  },
  {
    route: '/v1/messages/count_tokens',
    declared: ['@anthropic-ai/sdk', 'resources/messages/messages.d.ts', 'MessageCountTokensParams'],
    least: { model: 'fake-chat', messages },
    fields: conversation,
  },
  {
    route: '/v1/files',
    declared: ['openai', 'resources/files.d.ts', 'FileCreateParams'],
    form: true,
    least: { purpose: 'batch' },
    fields: { file: needed, purpose: needed, expires_after: honoured(expiry) },
  },
  {
    route: '/v1/batches',
    declared: ['openai', 'resources/batches.d.ts', 'BatchCreateParams'],
    least: { endpoint: '/v1/chat/completions', completion_window: '24h' },
    fields: {
      completion_window: needed,
      endpoint: needed,
      input_file_id: needed,
      metadata: honoured({ a: 'b' }),
      output_expires_after: honoured(expiry),
    },
  },
]
