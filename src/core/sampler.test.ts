import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSchedulerFault, refusedSamplers, type SchedulerOptions, samplers } from './sampler.ts'

const refused = (options: SchedulerOptions): readonly string[] => Object.keys(refusedSamplers(options))

test('usual configurations reject no sampler', () => {
  for (const options of [
    {},
    { _class_name: 'EulerDiscreteScheduler', timestep_type: 'discrete', sigma_min: null, sigma_max: null, variance_type: null },
    { _class_name: 'DPMSolverMultistepScheduler', solver_order: 2, use_karras_sigmas: true, use_exponential_sigmas: false },
    { _class_name: 'PNDMScheduler', skip_prk_steps: true, rescale_betas_zero_snr: false },
  ]) {
    assert.equal(findSchedulerFault(options), null)
    assert.deepEqual(refused(options), [])
  }
})

test('noise levels that no sampler supports are reported', () => {
  for (const [options, named] of [
    [{ _class_name: 'EDMDPMSolverMultistepScheduler', sigma_data: 0.5 }, /EDMDPMSolverMultistepScheduler/],
    [{ _class_name: 'EDMEulerScheduler' }, /EDMEulerScheduler/],
    [{ _class_name: 'FlowMatchEulerDiscreteScheduler' }, /FlowMatchEulerDiscreteScheduler/],
    [{ use_flow_sigmas: true }, /use_flow_sigmas/],
    [{ timestep_type: 'continuous' }, /timestep_type/],
    [{ sigma_min: 0.002 }, /sigma_min/],
    [{ sigma_max: 80 }, /sigma_max/],
    [{ variance_type: 'learned_range' }, /variance_type/],
  ] as const)
    assert.match(findSchedulerFault(options) ?? '', named)
})

test('a model with zero terminal SNR accepts the ten samplers whose scheduler can start there', () => {
  const left = samplers.filter((sampler) => !refused({ rescale_betas_zero_snr: true }).includes(sampler))
  assert.deepEqual(left, [
    'DDIM',
    'DDPM',
    'K_EULER',
    'K_EULER_ANCESTRAL',
    'DPM_SOLVER_MULTISTEP',
    'DPM_PLUS_PLUS_2M_KARRAS',
    'DPM_PLUS_PLUS_2M_SDE',
    'DPM_PLUS_PLUS_2M_SDE_KARRAS',
    'UNI_PC',
    'LCM',
  ])
})

test('an option excludes only samplers that would read it', () => {
  assert.deepEqual(refused({ skip_prk_steps: false }), ['PNDM'])
  assert.deepEqual(refused({ variance_type: 'fixed_large' }), ['DDPM'])
  assert.deepEqual(refused({ use_lu_lambdas: true }), ['DPM_SOLVER_MULTISTEP', 'DPM_PLUS_PLUS_2M_SDE'])
  assert.deepEqual(refused({ solver_p: { name: 'x' } }), ['UNI_PC'])
  assert.deepEqual(refused({ prediction_type: 'sample' }), [
    ...['PNDM', 'K_EULER_ANCESTRAL', 'DPM_2', 'DPM_2_KARRAS', 'DPM_2_ANCESTRAL', 'DPM_2_ANCESTRAL_KARRAS'],
  ])
  for (const options of [{ use_exponential_sigmas: true }, { use_beta_sigmas: true }])
    assert.deepEqual(
      samplers.filter((sampler) => !refused(options).includes(sampler)),
      ['PNDM', 'DDIM', 'DDPM', 'K_EULER_ANCESTRAL', 'LCM'],
    )
  const third = refused({ solver_order: 3 })
  assert.ok(third.includes('UNI_PC') && third.includes('DPM_SINGLE') && !third.includes('DDIM') && !third.includes('K_EULER'))
})
