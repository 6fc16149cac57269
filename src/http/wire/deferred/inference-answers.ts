import Type from 'typebox'

const time = (description: string) => Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description })

/** An error, in refusals and in failed requests. */
const errorObjectSchema = Type.Object({
  message: Type.String({ description: 'One sentence that says what to change.' }),
  type: Type.String(),
  param: Type.Union([Type.String(), Type.Null()]),
  code: Type.String({ description: 'Stable; the list is in docs/errors.md.' }),
})

/** The body of every error. */
export const errorBodySchema = Type.Object({
  error: errorObjectSchema,
  detail: Type.Optional(
    Type.Array(Type.Object({ loc: Type.Array(Type.Union([Type.String(), Type.Integer()])), msg: Type.String(), type: Type.String() }), {
      description: 'On 422 only: one entry per fault.',
    }),
  ),
})

/** The answer to a submission. */
export const submissionSchema = Type.Object({
  response_id: Type.String(),
  poll_url: Type.String({ format: 'uri' }),
})

/** The state of a deferred request. */
export const inferenceSchema = Type.Object({
  response_id: Type.String(),
  status: Type.Enum(['pending', 'running', 'completed']),
  poll_url: Type.String({ format: 'uri' }),
  response_url: Type.Optional(Type.String({ format: 'uri', description: 'Exactly when completed.' })),
  outcome: Type.Optional(Type.Enum(['succeeded', 'failed', 'cancelled'], { description: 'Exactly when completed.' })),
  error: Type.Optional(errorObjectSchema),
  queue_position: Type.Optional(Type.Integer({ minimum: 1, description: 'When pending; 1 = next.' })),
  progress: Type.Optional(Type.Object({ step: Type.Integer(), total: Type.Integer() })),
  model: Type.String(),
  attempt: Type.Integer({ minimum: 0 }),
  created_at: time('ISO 8601.'),
  started_at: time('Start of the present attempt.'),
  completed_at: time('Null before completion.'),
  expires_at: time('When the output is deleted; null before completion.'),
})

/** Answer of GET /v1/requests. */
export const inferenceListSchema = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(inferenceSchema),
  has_more: Type.Boolean(),
  next: Type.Union([Type.String(), Type.Null()], { description: 'Pass as `after` for the next page.' }),
})
