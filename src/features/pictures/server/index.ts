export { makeRenditions } from './make-renditions.ts'
export { copyOfferPictures, deleteUnusedPictures, picturesReady } from './pictures.repository.ts'
export { picturesRoutes } from './pictures.routes.ts'
export { isStored, sharedPicture, storedPictures } from './stored-pictures.ts'
