//! Is what gitlab.com once answered understood?
//!
//! go-gitlab, from which GitLab's own client for Go was made, has such answers in its tests: files that it took from
//! gitlab.com, and texts after the documentation. Debian packages its sources with them.
