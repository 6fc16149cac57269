import { testTransformerSteps } from '../support/engines/transformer-steps.ts'

testTransformerSteps([
  ['flux-dev', 'together'],
  ['flux-dev', 'in turn'],
  ['z-image-turbo', 'in turn'],
  ['sd3.5-medium', 'together'],
  ['flux2-klein', 'together'],
  ['flux2-klein', 'in turn'],
])
