//! How a script is written to its file and read back. One declaration makes the fields, the keys of the file
//! and the refusal of unknown keys, so that the two sides cannot drift apart.

use serde_json::{Value, json};

pub(crate) trait Json: Sized {
    fn to_json(&self) -> Value;

    fn from_json(value: &Value) -> Result<Self, String>;

    /// Whether the key stays out of the file, since absent means the same.
    fn absent(&self) -> bool {
        false
    }
}

fn wanted(what: &str, value: &Value) -> String {
    format!("{what} is wanted, not {value}")
}

impl Json for bool {
    fn to_json(&self) -> Value {
        json!(self)
    }

    fn from_json(value: &Value) -> Result<Self, String> {
        value.as_bool().ok_or_else(|| wanted("true or false", value))
    }

    fn absent(&self) -> bool {
        !self
    }
}

impl Json for u64 {
    fn to_json(&self) -> Value {
        json!(self)
    }

    fn from_json(value: &Value) -> Result<Self, String> {
        value.as_u64().ok_or_else(|| wanted("a whole number", value))
    }

    fn absent(&self) -> bool {
        *self == 0
    }
}

impl Json for String {
    fn to_json(&self) -> Value {
        json!(self)
    }

    fn from_json(value: &Value) -> Result<Self, String> {
        value.as_str().map(str::to_owned).ok_or_else(|| wanted("a text", value))
    }

    fn absent(&self) -> bool {
        self.is_empty()
    }
}

impl Json for Value {
    fn to_json(&self) -> Value {
        self.clone()
    }

    fn from_json(value: &Value) -> Result<Self, String> {
        Ok(value.clone())
    }
}

impl<T: Json> Json for Option<T> {
    fn to_json(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::to_json)
    }

    fn from_json(value: &Value) -> Result<Self, String> {
        T::from_json(value).map(Some)
    }

    fn absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: Json> Json for Vec<T> {
    fn to_json(&self) -> Value {
        self.iter().map(T::to_json).collect()
    }

    fn from_json(value: &Value) -> Result<Self, String> {
        value.as_array().ok_or_else(|| wanted("a list", value))?.iter().map(T::from_json).collect()
    }

    fn absent(&self) -> bool {
        self.is_empty()
    }
}

/// A struct whose field names are the keys; every field may be absent.
macro_rules! json_struct {
    ($(#[$meta:meta])* $visible:vis struct $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default)]
        $visible struct $name {
            $($(#[$field_meta])* pub(crate) $field: $type,)*
        }

        impl crate::fake::json::Json for $name {
            fn to_json(&self) -> serde_json::Value {
                let mut map = serde_json::Map::new();
                $(if !crate::fake::json::Json::absent(&self.$field) {
                    let value = crate::fake::json::Json::to_json(&self.$field);
                    map.insert(stringify!($field).to_owned(), value);
                })*
                serde_json::Value::Object(map)
            }

            fn from_json(value: &serde_json::Value) -> Result<Self, String> {
                let map = value.as_object().ok_or_else(|| format!("an object is wanted, not {value}"))?;
                let mut read = Self::default();
                for (key, value) in map {
                    match key.as_str() {
                        $(stringify!($field) => {
                            read.$field = crate::fake::json::Json::from_json(value)
                                .map_err(|wrong| format!("{key}: {wrong}"))?;
                        })*
                        _ => {
                            let known = [$(stringify!($field)),*].join(", ");
                            return Err(format!("{key} is no knob; known are {known}"));
                        }
                    }
                }
                Ok(read)
            }
        }
    };
}

/// An enum without data, written as its variant's name; the first variant is the default.
macro_rules! json_enum {
    ($(#[$meta:meta])* $name:ident { $(#[$first_meta:meta])* $first:ident, $($(#[$variant_meta:meta])* $variant:ident,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub enum $name {
            #[default]
            $(#[$first_meta])* $first,
            $($(#[$variant_meta])* $variant,)*
        }

        impl crate::fake::json::Json for $name {
            fn to_json(&self) -> serde_json::Value {
                serde_json::Value::String(format!("{self:?}"))
            }

            fn from_json(value: &serde_json::Value) -> Result<Self, String> {
                match value.as_str() {
                    Some(stringify!($first)) => Ok(Self::$first),
                    $(Some(stringify!($variant)) => Ok(Self::$variant),)*
                    _ => {
                        let legal = [stringify!($first), $(stringify!($variant)),*].join(", ");
                        Err(format!("{value} is none of {legal}"))
                    }
                }
            }

            fn absent(&self) -> bool {
                *self == Self::default()
            }
        }
    };
}

pub(crate) use {json_enum, json_struct};
