import favouritesMessages from 'virtual:messages/favourites'
import { needMessages } from '#client/browser.ts'
import { guardedLoader } from '#client/guard.ts'
import { paths } from '#client/paths.ts'
import { FavouritesPage, FavouritesSkeleton } from '#features/favourites/screens/favourites-page.tsx'
import { metaOf } from '../head.ts'
import { needingScripts } from '../needs-scripts.tsx'

await needMessages(favouritesMessages)

export const clientLoader = guardedLoader
export const HydrateFallback = needingScripts(FavouritesSkeleton)
export const meta = metaOf('favourites', { path: paths.favourites(), noindex: true })

export default FavouritesPage
