//! The C interface of gametape; `include/gametape.h` describes it.
