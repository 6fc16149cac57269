import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFault } from './server-fault.ts'

/** Errors in the formats of the servers' source code. */
const refusals: readonly [server: string, body: unknown, message: string, code?: string][] = [
  [
    'OpenAI',
    { error: { message: "Unknown parameter: 'x'.", type: 'invalid_request_error', code: 'unknown_parameter' } },
    "Unknown parameter: 'x'.",
    'unknown_parameter',
  ],
  ['Gemini', [{ error: { code: 400, message: 'Invalid value', status: 'INVALID_ARGUMENT' } }], 'Invalid value.', '400'],
  ['vLLM', { object: 'error', message: 'too long', code: 400 }, 'too long.', '400'],
  ['llama-server', { error: { code: 400, message: 'no template', type: 'invalid_request_error' } }, 'no template.', '400'],
  ['Forge', { detail: 'Sampler not found' }, 'Sampler not found.'],
  ['A1111', { error: 'HTTPException', detail: 'Init image not found', body: '', errors: '' }, 'Init image not found.'],
  ['A1111, without a word', { error: 'ValueError', detail: '', body: '', errors: 'bad width' }, 'bad width.'],
  [
    'FastAPI',
    { detail: [{ loc: ['body', 'steps'], msg: 'value is not a valid integer', type: 'type_error.integer' }] },
    'steps: value is not a valid integer.',
  ],
  ['stable-diffusion.cpp', { error: 'invalid generation parameters' }, 'invalid generation parameters.'],
  ['stable-diffusion.cpp, of JSON', { error: 'invalid json', message: 'parse error at line 1' }, 'parse error at line 1.'],
  ['ComfyUI, of an older version', { error: 'no prompt', node_errors: [] }, 'no prompt.'],
  [
    'ComfyUI',
    {
      error: { type: 'prompt_outputs_failed_validation', message: 'Prompt outputs failed validation', details: '', extra_info: {} },
      node_errors: {
        4: {
          errors: [
            { type: 'value_not_in_list', message: 'Value not in list', details: 'ckpt_name: …', extra_info: { input_name: 'ckpt_name' } },
          ],
          dependent_outputs: ['9'],
          class_type: 'CheckpointLoaderSimple',
        },
      },
    },
    'Prompt outputs failed validation: Value not in list (ckpt_name of CheckpointLoaderSimple).',
    'prompt_outputs_failed_validation',
  ],
  [
    'OpenRouter',
    {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: { raw: '{"error":{"message":"The prompt is too long"}}', provider_name: 'X' },
      },
    },
    'The prompt is too long.',
    '400',
  ],
  [
    'OpenRouter, without a reason',
    { error: { message: 'Provider returned error', code: 400, metadata: { raw: '<html>' } } },
    'Provider returned error.',
    '400',
  ],
  ['a proxy', '<html>', ''],
  ['something else', { error: { message: 7, code: {} }, detail: [null], message: [] }, ''],
  ['a server with a very long message', { message: 'x'.repeat(5000) }, `${'x'.repeat(1000)}….`],
]

for (const [server, body, message, code = ''] of refusals)
  test(`the error format of ${server} is read`, () => {
    const fault = readFault(body)
    assert.deepEqual({ message: fault.message, code: fault.code }, { message, code })
  })
