/** Folders of the console whose texts still go around the catalogues. */
export const notYet: readonly string[] = [
  'pages/account/',
  'pages/assets/',
  'pages/audit/',
  'pages/chat/',
  'pages/gallery/',
  'pages/images/',
  'pages/models/',
  'pages/people/',
  'pages/requests/',
  'pages/service/',
  'pages/tokens/',
  'pages/usage/',
  'pages/webhooks/',
]
