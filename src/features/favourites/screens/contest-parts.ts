import favouritesMessages from 'virtual:messages/favourites'
import { needMessages } from '#client/browser.ts'

await needMessages(favouritesMessages)

export { Actions } from './contest-actions.tsx'
export { Heart } from './heart.tsx'
