//! pyright-mcp: its technical design document, promise by promise. `docs/dialects/pyright.md` lists which test shows what.

mod checks;
mod errors;
mod health;
mod http;
mod logs;
mod navigation;
mod page;
mod pool;
mod programs;
mod projects;
mod schema;
mod speed;
mod support;
