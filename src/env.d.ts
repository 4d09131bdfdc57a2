/// <reference types="svelte" />
/// <reference types="vite/client" />

/** Version of this product, from package.json, put in at build. */
declare const __APP_VERSION__: string;
/** The exact sql.js version that ships with the page, from package.json, put in at build. */
declare const __SQLJS_VERSION__: string;
